#pragma once
// Only tv_aes_256_gcm uses functions that OpenSSL 3 deprecates.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

// The selection argument of EVP_PKEY_fromdata; Swift cannot import the macro.
static const int tv_public_key = EVP_PKEY_PUBLIC_KEY;

// To fetch one cipher, OpenSSL 3 constructs every cipher of its provider, which takes as long as
// the exchange with the keyring (docs/decisions/0007-one-cipher.md). This function instead builds a
// custom cipher from the functions of EVP_aes_256_gcm, which OpenSSL uses without a fetch. Returns
// NULL if this OpenSSL version does not support that; the caller then fetches the cipher.
static inline EVP_CIPHER *tv_aes_256_gcm(void) {
#if OPENSSL_VERSION_MAJOR == 3
  const EVP_CIPHER *known = EVP_aes_256_gcm();
  EVP_CIPHER *own = EVP_CIPHER_meth_new(EVP_CIPHER_get_nid(known), 1, 32);
  if (own == NULL) return NULL;
  if (EVP_CIPHER_meth_set_iv_length(own, 12) &&
      EVP_CIPHER_meth_set_flags(own, EVP_CIPHER_get_flags(known)) &&
      EVP_CIPHER_meth_set_impl_ctx_size(own, EVP_CIPHER_impl_ctx_size(known)) &&
      EVP_CIPHER_meth_set_init(own, EVP_CIPHER_meth_get_init(known)) &&
      EVP_CIPHER_meth_set_do_cipher(own, EVP_CIPHER_meth_get_do_cipher(known)) &&
      EVP_CIPHER_meth_set_cleanup(own, EVP_CIPHER_meth_get_cleanup(known)) &&
      EVP_CIPHER_meth_set_ctrl(own, EVP_CIPHER_meth_get_ctrl(known)))
    return own;
  EVP_CIPHER_meth_free(own);
#endif
  return NULL;
}

// TV_OWN_LIBCRYPTO means that libcrypto is statically linked and that no other code uses it. It
// skips reading openssl.cnf and loading names and error texts, which is most of OpenSSL's start-up
// time: a configuration file must not influence how a vault is encrypted. It also skips the cleanup
// at exit: freeing each algorithm takes as long as decrypting a few hundred tokens. If libcrypto is
// shared with TLS, these options would affect TLS, too: without all digests, no certificate
// verifies.
static inline int tv_prepare_libcrypto(void) {
#ifdef TV_OWN_LIBCRYPTO
  return OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS |
                                 OPENSSL_INIT_NO_ADD_ALL_CIPHERS | OPENSSL_INIT_NO_ADD_ALL_DIGESTS |
                                 OPENSSL_INIT_NO_ATEXIT,
                             NULL);
#else
  return 1;
#endif
}
