#pragma once
#include <stddef.h>

// The part of libcurl's stable ABI that is called through dlsym, declared here for the reason given
// in TokenVaultCSecretService/Prototypes.h. CurlPrototypeCheck.c compares it with the installed
// header.

#ifndef CURLINC_CURL_H
typedef void CURL;
typedef void CURLM;
struct curl_slist { char *data; struct curl_slist *next; };
typedef struct {
  unsigned msg;
  CURL *easy_handle;
  union { void *whatever; unsigned result; } data;
} CURLMsg;
#endif

// Options: long values; pointers from 10,000, functions from 20,000 and off_t from 30,000.
enum {
  OPT_WRITEDATA = 10001, OPT_URL = 10002, OPT_PROXY = 10004, OPT_READDATA = 10009,
  OPT_ERRORBUFFER = 10010, OPT_WRITEFUNCTION = 20011, OPT_READFUNCTION = 20012,
  OPT_USERAGENT = 10018, OPT_HTTPHEADER = 10023, OPT_HEADERDATA = 10029,
  OPT_SSLVERSION = 32, OPT_CUSTOMREQUEST = 10036, OPT_NOBODY = 44, OPT_POST = 47, OPT_NETRC = 51,
  OPT_FOLLOWLOCATION = 52, OPT_SSL_VERIFYPEER = 64, OPT_CAINFO = 10065,
  OPT_HEADERFUNCTION = 20079, OPT_HTTPGET = 80, OPT_SSL_VERIFYHOST = 81, OPT_HTTP_VERSION = 84,
  OPT_CAPATH = 10097, OPT_NOSIGNAL = 99, OPT_ACCEPT_ENCODING = 10102,
  OPT_POSTFIELDSIZE_LARGE = 30120, OPT_TIMEOUT_MS = 155, OPT_PROTOCOLS = 181,
  OPT_SUPPRESS_CONNECT_HEADERS = 265, OPT_HTTP09_ALLOWED = 285, OPT_QUICK_EXIT = 322,
  INFO_RESPONSE_CODE = 0x200002, INFO_HTTP_CONNECTCODE = 0x200016,
  INFO_OS_ERRNO = 0x200019,
  GLOBAL_DEFAULT = 3, PROTOCOL_HTTP = 1, PROTOCOL_HTTPS = 2, HTTP_1_1 = 2, TLS_1_2 = 6,
  MESSAGE_DONE = 1,
  CODE_COULDNT_CONNECT = 7, CODE_OUT_OF_MEMORY = 27, CODE_TIMED_OUT = 28, CODE_ABORTED = 42,
  CODE_GOT_NOTHING = 52,
};

#define TV_FUNCTIONS(F) \
  F(TV_ENUM(CURLcode), curl_global_init, (long)) \
  F(CURL *, curl_easy_init, (void)) \
  F(TV_ENUM(CURLcode), curl_easy_setopt, (CURL *, TV_ENUM(CURLoption), ...)) \
  F(TV_ENUM(CURLcode), curl_easy_getinfo, (CURL *, TV_ENUM(CURLINFO), ...)) \
  F(void, curl_easy_cleanup, (CURL *)) \
  F(struct curl_slist *, curl_slist_append, (struct curl_slist *, const char *)) \
  F(void, curl_slist_free_all, (struct curl_slist *)) \
  F(CURLM *, curl_multi_init, (void)) \
  F(TV_SIGNED_ENUM(CURLMcode), curl_multi_add_handle, (CURLM *, CURL *)) \
  F(TV_SIGNED_ENUM(CURLMcode), curl_multi_remove_handle, (CURLM *, CURL *)) \
  F(TV_SIGNED_ENUM(CURLMcode), curl_multi_perform, (CURLM *, int *)) \
  F(TV_SIGNED_ENUM(CURLMcode), curl_multi_poll, \
    (CURLM *, struct curl_waitfd *, unsigned, int, int *)) \
  F(CURLMsg *, curl_multi_info_read, (CURLM *, int *)) \
  F(TV_SIGNED_ENUM(CURLMcode), curl_multi_cleanup, (CURLM *))
