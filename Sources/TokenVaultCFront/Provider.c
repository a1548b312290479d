// A default provider with only those algorithms of libcrypto that a stored token needs. libcrypto's
// own refers to every algorithm, and a position-independent executable relocates all their tables at
// each start (docs/decisions/0030-small-front.md). The implementations are libcrypto's. Whatever
// else is asked for is not found, and the full program, which has them all, answers in place of the
// front.
#ifdef TV_OWN_PROVIDER

#include <openssl/core.h>
#include <openssl/core_dispatch.h>

// From libcrypto.a; scripts/build looks for them there.
extern const OSSL_DISPATCH ossl_sha256_functions[];
extern const OSSL_DISPATCH ossl_hmac_functions[];
extern const OSSL_DISPATCH ossl_kdf_hkdf_functions[];

#define FROM_DEFAULT "provider=default"
static const OSSL_ALGORITHM digests[] = {
    {"SHA2-256:SHA-256:SHA256", FROM_DEFAULT, ossl_sha256_functions, NULL}, {NULL, NULL, NULL, NULL}};
static const OSSL_ALGORITHM macs[] = {{"HMAC", FROM_DEFAULT, ossl_hmac_functions, NULL},
                                      {NULL, NULL, NULL, NULL}};
static const OSSL_ALGORITHM kdfs[] = {{"HKDF", FROM_DEFAULT, ossl_kdf_hkdf_functions, NULL},
                                      {NULL, NULL, NULL, NULL}};

static const OSSL_ALGORITHM *query(void *context, int operation, int *no_cache) {
  (void)context;
  *no_cache = 0;
  switch (operation) {
    case OSSL_OP_DIGEST: return digests;
    case OSSL_OP_MAC: return macs;
    case OSSL_OP_KDF: return kdfs;
    default: return NULL;
  }
}

// The types are those of provider-base(7); the table erases them.
static const OSSL_DISPATCH functions[] = {
    {OSSL_FUNC_PROVIDER_QUERY_OPERATION, (void (*)(void))query}, {0, NULL}};

OSSL_provider_init_fn ossl_default_provider_init, ossl_base_provider_init;

int ossl_default_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in,
                               const OSSL_DISPATCH **out, void **context) {
  (void)handle;
  (void)in;
  *out = functions;
  // No context means the default library context.
  *context = NULL;
  return 1;
}

// Not used: there is nothing to encode or to store.
int ossl_base_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in,
                            const OSSL_DISPATCH **out, void **context) {
  (void)handle;
  (void)in;
  (void)out;
  (void)context;
  return 0;
}

// libcrypto enters the names of all public-key methods before the first name that it looks for. Weak, as
// libcrypto's own definition is linked where another one of its object file is needed.
__attribute__((weak)) int EVP_PKEY_asn1_get_count(void);
__attribute__((weak)) int EVP_PKEY_asn1_get_count(void) { return 0; }

// Not used: the front reports no error of libcrypto.
int ossl_err_load_crypto_strings(void);
int ossl_err_load_crypto_strings(void) { return 1; }

#endif
