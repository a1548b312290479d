#pragma once
// tv_aes_256_gcm alone uses what OpenSSL 3 calls deprecated.
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

// What EVP_PKEY_fromdata is to make; the macro is more than Swift can import.
static const int tv_public_key = EVP_PKEY_PUBLIC_KEY;

// OpenSSL 3 looks for a cipher by making every cipher of its provider, which costs a process as
// long as the conversation with the keyring (docs/decisions/0007-one-cipher.md). A cipher of the
// program's own, with the functions of EVP_aes_256_gcm, is used as it is. Returns NULL where
// OpenSSL has no such way any more; the cipher is then looked for.
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

// TV_OWN_LIBCRYPTO says that libcrypto is linked into the program and nobody else's. Then reading
// openssl.cnf and loading names and error texts, most of OpenSSL's start-up time, is left out: a
// configuration file has no say in how a vault is encrypted, and freeing each algorithm at the end
// of a process that ends anyway takes as long as decrypting a few hundred tokens. In a library that
// is shared with TLS these options would be for both: without all digests no certificate verifies.
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
