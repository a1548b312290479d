#define CURL_DISABLE_TYPECHECK
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>
#include <sys/types.h>

#define TV_ENUM(name) name
#define TV_SIGNED_ENUM(name) name
#include "../../Sources/TokenVaultCCurl/Prototypes.h"

// A prototype that differs from the one in the installed header does not compile.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#define CHECK(result, name, arguments) \
  _Static_assert(__builtin_types_compatible_p(__typeof__(name), result arguments), #name);
TV_FUNCTIONS(CHECK)

#define UNSIGNED(name) _Static_assert((name)-1 > (name)0, #name);
UNSIGNED(CURLcode)
UNSIGNED(CURLoption)
UNSIGNED(CURLINFO)
UNSIGNED(CURLMSG)
_Static_assert((CURLMcode)-1 < (CURLMcode)0, "CURLMcode");

// The layout that TokenVaultCCurl assumes for the struct it reads.
typedef struct {
  unsigned msg;
  void *easy_handle;
  union { void *whatever; unsigned result; } data;
} message;
_Static_assert(sizeof(message) == sizeof(CURLMsg), "");
_Static_assert(offsetof(message, data) == offsetof(CURLMsg, data), "");
_Static_assert(sizeof(curl_off_t) == sizeof(off_t), "");
_Static_assert(CURL_ERROR_SIZE == 256, "");

#define OPTION(name) _Static_assert((int)OPT_##name == (int)CURLOPT_##name, #name);
OPTION(WRITEDATA) OPTION(URL) OPTION(PROXY) OPTION(READDATA) OPTION(ERRORBUFFER)
OPTION(WRITEFUNCTION) OPTION(READFUNCTION) OPTION(USERAGENT) OPTION(HTTPHEADER)
OPTION(HEADERDATA) OPTION(SSLVERSION) OPTION(CUSTOMREQUEST) OPTION(NOBODY) OPTION(POST)
OPTION(NETRC) OPTION(FOLLOWLOCATION) OPTION(SSL_VERIFYPEER) OPTION(CAINFO)
OPTION(HEADERFUNCTION) OPTION(HTTPGET) OPTION(SSL_VERIFYHOST) OPTION(HTTP_VERSION)
OPTION(CAPATH) OPTION(NOSIGNAL) OPTION(ACCEPT_ENCODING) OPTION(POSTFIELDSIZE_LARGE)
OPTION(TIMEOUT_MS) OPTION(PROTOCOLS) OPTION(SUPPRESS_CONNECT_HEADERS) OPTION(HTTP09_ALLOWED)
#if LIBCURL_VERSION_NUM >= 0x075700
OPTION(QUICK_EXIT)
#endif

_Static_assert((int)INFO_RESPONSE_CODE == (int)CURLINFO_RESPONSE_CODE, "");
_Static_assert((int)INFO_HTTP_CONNECTCODE == (int)CURLINFO_HTTP_CONNECTCODE, "");
_Static_assert((int)INFO_OS_ERRNO == (int)CURLINFO_OS_ERRNO, "");
_Static_assert(GLOBAL_DEFAULT == CURL_GLOBAL_DEFAULT, "");
_Static_assert(PROTOCOL_HTTP == CURLPROTO_HTTP && PROTOCOL_HTTPS == CURLPROTO_HTTPS, "");
_Static_assert((int)HTTP_1_1 == (int)CURL_HTTP_VERSION_1_1, "");
_Static_assert((int)TLS_1_2 == (int)CURL_SSLVERSION_TLSv1_2, "");
_Static_assert((int)MESSAGE_DONE == (int)CURLMSG_DONE, "");
_Static_assert((int)CODE_COULDNT_CONNECT == (int)CURLE_COULDNT_CONNECT, "");
_Static_assert((int)CODE_OUT_OF_MEMORY == (int)CURLE_OUT_OF_MEMORY, "");
_Static_assert((int)CODE_TIMED_OUT == (int)CURLE_OPERATION_TIMEDOUT, "");
_Static_assert((int)CODE_GOT_NOTHING == (int)CURLE_GOT_NOTHING, "");
_Static_assert((int)CODE_ABORTED == (int)CURLE_ABORTED_BY_CALLBACK, "");

int tv_curl_prototypes_match(void) { return 1; }
