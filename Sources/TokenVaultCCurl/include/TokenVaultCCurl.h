#pragma once
#include <stdbool.h>
#include <stddef.h>

// HTTP exchanges over libcurl, which is loaded for the first one and not at program start: a
// program that only serves cached tokens does not pay for the network.

/// A connection that is reused by later exchanges. One thread may use it at a time.
typedef struct tv_http tv_http;

typedef struct {
  /// The time limit for the whole exchange, name lookup included.
  int deadline_ms;
  /// The size limit for the body, in bytes after decoding.
  size_t answer_limit;
  /// The size limit for all header lines, including trailers and interim responses, in bytes.
  size_t head_limit;
  /// Whether the address is on this machine: http is allowed then, and no proxy is used.
  bool loopback;
  /// Called ten times a second.
  bool (*is_cancelled)(const void *context);
  const void *context;
} tv_http_limits;

typedef struct {
  /// libcurl's CURLcode; 0 for a response.
  int code;
  int status;
  /// Whether the proxy failed, and not the server.
  bool at_proxy;
  /// Whether nothing listens at the address.
  bool refused;
  bool cancelled, body_too_large, head_too_large;
  /// The status line and header lines of the final response, as received.
  char *head;
  size_t head_count;
  char *body;
  size_t body_count;
} tv_http_answer;

/// Loads libcurl, and returns whether that succeeded.
bool tv_http_library(void);
/// `certificate_file` and `certificate_directory` replace the system's trusted certificates; NULL
/// for both keeps those. Returns NULL if libcurl refuses a setting.
tv_http *tv_http_new(const char *certificate_file, const char *certificate_directory,
                     const char *user_agent);
void tv_http_free(tv_http *http);
/// Sends a request and waits. `headers` are lines in libcurl's form, each followed by a newline;
/// `body` is NULL for none. Free the answer with tv_http_answer_free.
void tv_http_exchange(tv_http *http, const char *method, const char *url, const char *headers,
                      const void *body, size_t body_count, const tv_http_limits *limits,
                      tv_http_answer *answer);
void tv_http_answer_free(tv_http_answer *answer);
