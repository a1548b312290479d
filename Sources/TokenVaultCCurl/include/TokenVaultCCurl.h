#pragma once
#include <stdbool.h>
#include <stddef.h>

// One HTTP exchange over libcurl, which is loaded at the first call and not at program start:
// who serves a cached token must not pay for the network.

/// A connection that is kept between exchanges. Used by one thread at a time.
typedef struct tv_http tv_http;

typedef struct {
  /// Over everything, name lookup included.
  int deadline_ms;
  /// Bytes of body, counted after decoding.
  size_t answer_limit;
  /// Bytes of all header lines, trailers and interim answers included.
  size_t head_limit;
  /// The address is this machine's: http will do, and no proxy is asked.
  bool loopback;
  /// Looked at ten times a second.
  bool (*is_cancelled)(const void *context);
  const void *context;
} tv_http_limits;

typedef struct {
  /// libcurl's CURLcode; 0 for an answer.
  int code;
  int status;
  /// The failure was the proxy's, not the server's.
  bool at_proxy;
  bool cancelled, body_too_large, head_too_large;
  /// The status line and header lines of the final answer, as they came.
  char *head;
  size_t head_count;
  char *body;
  size_t body_count;
} tv_http_answer;

/// Whether libcurl can be loaded; it is, then.
bool tv_http_library(void);
/// `certificate_file` and `certificate_directory` are trusted in place of the system's store; NULL
/// for both means that store. Returns NULL where libcurl refuses a setting.
tv_http *tv_http_new(const char *certificate_file, const char *certificate_directory,
                     const char *user_agent);
void tv_http_free(tv_http *http);
/// Sends a request and waits. `headers` are lines of libcurl's form, each with a newline behind
/// it; `body` is NULL for none. The answer is to be given back by tv_http_answer_free.
void tv_http_exchange(tv_http *http, const char *method, const char *url, const char *headers,
                      const void *body, size_t body_count, const tv_http_limits *limits,
                      tv_http_answer *answer);
void tv_http_answer_free(tv_http_answer *answer);
