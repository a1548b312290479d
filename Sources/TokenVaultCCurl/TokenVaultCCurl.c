#define _GNU_SOURCE
#include "TokenVaultCCurl.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>
#include <sys/types.h>
#include <time.h>

// A C enum with no negative value is passed as unsigned int.
#define TV_ENUM(name) unsigned
#define TV_SIGNED_ENUM(name) int
#include "Prototypes.h"

#define DECLARE(result, name, arguments) static result(*p_##name) arguments;
struct curl_waitfd;
TV_FUNCTIONS(DECLARE)

static bool loaded;

static void load(void) {
  // In a static executable, dlopen starts a second C library and crashes; see
  // TokenVaultCSecretService.c.
  if (getauxval(AT_BASE) == 0) return;
  // libcurl must never be unloaded, because a thread of it may still be in a name lookup.
  int flags = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
  void *library = dlopen("libcurl.so.4", flags);
  if (!library) library = dlopen("libcurl-gnutls.so.4", flags);
  if (!library) return;
#define RESOLVE(result, name, arguments) \
  if (!(p_##name = (__typeof__(p_##name))dlsym(library, #name))) return;
  TV_FUNCTIONS(RESOLVE)
  loaded = p_curl_global_init(GLOBAL_DEFAULT) == 0;
}

bool tv_http_library(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return loaded;
}

typedef struct {
  tv_http_answer *answer;
  const tv_http_limits *limits;
  const char *unsent;
  size_t unsent_count;
  size_t head_seen, head_capacity, body_capacity;
  bool head_complete;
} exchange;

struct tv_http {
  CURL *easy;
  CURLM *multi;
  char error[256];  // CURL_ERROR_SIZE
};

static bool append(char **buffer, size_t *count, size_t *capacity, const char *data, size_t more) {
  if (*count + more > *capacity) {
    size_t wanted = (*count + more) * 2;
    char *grown = realloc(*buffer, wanted);
    if (!grown) return false;
    *buffer = grown, *capacity = wanted;
  }
  memcpy(*buffer + *count, data, more);
  *count += more;
  return true;
}

// A callback that returns less than its input ends the exchange.
static size_t on_body(char *data, size_t size, size_t count, void *context) {
  exchange *e = context;
  tv_http_answer *a = e->answer;
  size_t more = size * count;
  if (more > e->limits->answer_limit - a->body_count) {
    a->body_too_large = true;
    return 0;
  }
  return append(&a->body, &a->body_count, &e->body_capacity, data, more) ? more : 0;
}

// Called with whole lines. The empty line is followed by the head of another response (after 100
// Continue), or by trailers, which are ignored.
static size_t on_header(char *data, size_t size, size_t count, void *context) {
  exchange *e = context;
  tv_http_answer *a = e->answer;
  size_t more = size * count;
  if (more > e->limits->head_limit - e->head_seen) {
    a->head_too_large = true;
    return 0;
  }
  e->head_seen += more;
  if (e->head_complete) {
    if (a->body_count > 0 || more < 5 || memcmp(data, "HTTP/", 5) != 0) return more;
    e->head_complete = false;
    a->head_count = 0;
  }
  e->head_complete = more <= 2;
  return append(&a->head, &a->head_count, &e->head_capacity, data, more) ? more : 0;
}

// Reads the body, and cannot be rewound: otherwise libcurl would send the request a second time if
// a reused connection breaks. The server may have received the first one, and a refresh token that
// arrives twice looks stolen (RFC 9700 section 4.14.2).
static size_t on_upload(char *data, size_t size, size_t count, void *context) {
  exchange *e = context;
  size_t most = size * count;
  if (most > e->unsent_count) most = e->unsent_count;
  if (most > 0) memcpy(data, e->unsent, most);
  e->unsent += most;
  e->unsent_count -= most;
  return most;
}

#define SET(easy, option, value) (p_curl_easy_setopt(easy, option, value) == 0)

tv_http *tv_http_new(const char *certificate_file, const char *certificate_directory,
                     const char *user_agent) {
  if (!tv_http_library()) return NULL;
  tv_http *http = calloc(1, sizeof *http);
  if (!http) return NULL;
  http->easy = p_curl_easy_init();
  http->multi = p_curl_multi_init();
  bool ok = http->easy && http->multi && SET(http->easy, OPT_NOSIGNAL, 1L) &&
            SET(http->easy, OPT_FOLLOWLOCATION, 0L) && SET(http->easy, OPT_NETRC, 0L) &&
            SET(http->easy, OPT_SSL_VERIFYPEER, 1L) && SET(http->easy, OPT_SSL_VERIFYHOST, 2L) &&
            SET(http->easy, OPT_SSLVERSION, (long)TLS_1_2) &&
            SET(http->easy, OPT_HTTP_VERSION, (long)HTTP_1_1) &&
            SET(http->easy, OPT_HTTP09_ALLOWED, 0L) &&
            SET(http->easy, OPT_SUPPRESS_CONNECT_HEADERS, 1L) &&
            SET(http->easy, OPT_ACCEPT_ENCODING, "gzip, deflate") &&
            SET(http->easy, OPT_WRITEFUNCTION, on_body) &&
            SET(http->easy, OPT_HEADERFUNCTION, on_header) &&
            SET(http->easy, OPT_READFUNCTION, on_upload) &&
            SET(http->easy, OPT_ERRORBUFFER, http->error) &&
            SET(http->easy, OPT_USERAGENT, user_agent);
  if (ok && (certificate_file || certificate_directory)) {
    ok = SET(http->easy, OPT_CAINFO, certificate_file);
    // A libcurl without support for certificate directories has no default one to remove.
    bool set = SET(http->easy, OPT_CAPATH, certificate_directory);
    ok = ok && (set || !certificate_directory);
  }
  if (ok) {
    // Since 7.87, a cancelled exchange does not wait for a name lookup that hangs. Older ones do.
    p_curl_easy_setopt(http->easy, OPT_QUICK_EXIT, 1L);
    return http;
  }
  tv_http_free(http);
  return NULL;
}

void tv_http_free(tv_http *http) {
  if (http->easy) p_curl_easy_cleanup(http->easy);
  if (http->multi) p_curl_multi_cleanup(http->multi);
  free(http);
}

void tv_http_answer_free(tv_http_answer *answer) {
  free(answer->head);
  free(answer->body);
}

static bool prepare(tv_http *http, const char *method, const char *url, struct curl_slist *list,
                    bool has_body, exchange *e) {
  CURL *easy = http->easy;
  const tv_http_limits *limits = e->limits;
  bool ok = SET(easy, OPT_URL, url) && SET(easy, OPT_HTTPHEADER, list) &&
            SET(easy, OPT_PROTOCOLS, (long)(PROTOCOL_HTTPS | (limits->loopback ? PROTOCOL_HTTP : 0))) &&
            // NULL: from the environment; the empty name: no proxy.
            SET(easy, OPT_PROXY, limits->loopback ? "" : NULL) &&
            SET(easy, OPT_TIMEOUT_MS, (long)limits->deadline_ms) &&
            SET(easy, OPT_WRITEDATA, e) && SET(easy, OPT_HEADERDATA, e) &&
            SET(easy, OPT_READDATA, e) && SET(easy, OPT_HTTPGET, 1L);
  if (has_body)
    ok = ok && SET(easy, OPT_POST, 1L) &&
         SET(easy, OPT_POSTFIELDSIZE_LARGE, (off_t)e->unsent_count);
  else if (strcmp(method, "HEAD") == 0) ok = ok && SET(easy, OPT_NOBODY, 1L);
  return ok && SET(easy, OPT_CUSTOMREQUEST, method);
}

static bool expired(const struct timespec *end, int *left) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  long long ms = (end->tv_sec - now.tv_sec) * 1000LL + (end->tv_nsec - now.tv_nsec) / 1000000;
  *left = ms > 100 ? 100 : ms < 0 ? 0 : (int)ms;
  return ms <= 0;
}

static int perform(tv_http *http, exchange *e) {
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec += e->limits->deadline_ms / 1000;
  end.tv_nsec += (long)(e->limits->deadline_ms % 1000) * 1000000;
  if (p_curl_multi_add_handle(http->multi, http->easy) != 0) return CODE_OUT_OF_MEMORY;
  int code = -1, running = 1, left = 0;
  while (code < 0) {
    if (p_curl_multi_perform(http->multi, &running) != 0) code = CODE_OUT_OF_MEMORY;
    CURLMsg *message;
    while ((message = p_curl_multi_info_read(http->multi, &running)))
      if (message->msg == MESSAGE_DONE) code = (int)message->data.result;
    if (code >= 0) break;
    if (e->limits->is_cancelled(e->limits->context)) {
      e->answer->cancelled = true;
      code = CODE_ABORTED;
    } else if (expired(&end, &left)) {
      code = CODE_TIMED_OUT;
    } else {
      p_curl_multi_poll(http->multi, NULL, 0, left, NULL);
    }
  }
  p_curl_multi_remove_handle(http->multi, http->easy);
  return code;
}

// libcurl has one code for an unreachable server and an unreachable proxy. Its text names the host.
static bool failed_at_proxy(tv_http *http, int code, const char *url) {
  long connect_code = 0;
  p_curl_easy_getinfo(http->easy, INFO_HTTP_CONNECTCODE, &connect_code);
  if (connect_code >= 300) return true;
  static const char prefix[] = "Failed to connect to ";
  if (code != CODE_COULDNT_CONNECT || strncmp(http->error, prefix, sizeof prefix - 1) != 0)
    return false;
  const char *host = strstr(url, "://");
  host = host ? host + 3 : url;
  if (*host == '[') host++;
  const char *named = http->error + sizeof prefix - 1;
  size_t count = strcspn(named, " ");
  return strncasecmp(named, host, count) != 0 || strstr(named + count, " via ") != NULL;
}

void tv_http_exchange(tv_http *http, const char *method, const char *url, const char *headers,
                      const void *body, size_t body_count, const tv_http_limits *limits,
                      tv_http_answer *answer) {
  memset(answer, 0, sizeof *answer);
  http->error[0] = 0;
  exchange e = {.answer = answer, .limits = limits, .unsent = body, .unsent_count = body_count};
  struct curl_slist *list = NULL;
  char *lines = strdup(headers), *rest = NULL;
  for (char *line = lines ? strtok_r(lines, "\n", &rest) : NULL; line;
       line = strtok_r(NULL, "\n", &rest)) {
    struct curl_slist *longer = p_curl_slist_append(list, line);
    if (!longer) break;
    list = longer;
  }
  free(lines);

  // OpenSSL's writes to sockets raise SIGPIPE, which would end the process.
  sigset_t pipe, before, pending;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  if (prepare(http, method, url, list, body != NULL, &e)) answer->code = perform(http, &e);
  else answer->code = CODE_OUT_OF_MEMORY;
  // libcurl accepts a truncated head.
  if (answer->code == 0 && !e.head_complete) answer->code = CODE_GOT_NOTHING;
  if (!sigismember(&pending, SIGPIPE)) sigtimedwait(&pipe, NULL, &(struct timespec){0, 0});
  pthread_sigmask(SIG_SETMASK, &before, NULL);

  long status = 0;
  p_curl_easy_getinfo(http->easy, INFO_RESPONSE_CODE, &status);
  answer->status = (int)status;
  if (answer->code != 0) {
    answer->at_proxy = failed_at_proxy(http, answer->code, url);
    long error = 0;
    p_curl_easy_getinfo(http->easy, INFO_OS_ERRNO, &error);
    answer->refused = answer->code == CODE_COULDNT_CONNECT && error == ECONNREFUSED;
  }
  p_curl_easy_setopt(http->easy, OPT_HTTPHEADER, NULL);
  p_curl_slist_free_all(list);
}
