#pragma once
#include <stdbool.h>
#include <stddef.h>

// What needs libsecret: creating, deleting, unlocking with a prompt. libsecret and GLib are
// loaded at the first call, not at program start: a warm read must not pay for them.
// Every function blocks. No result carries text of a secret.

typedef enum {
  TV_SECRET_OK = 0,
  TV_SECRET_NO_LIBRARY,
  TV_SECRET_NO_BUS,
  TV_SECRET_NO_SERVICE,
  TV_SECRET_NO_COLLECTION,
  TV_SECRET_LOCKED,
  TV_SECRET_DISMISSED,
  TV_SECRET_TIMED_OUT,
  TV_SECRET_GONE,
  TV_SECRET_REFUSED,
} tv_secret_result;

typedef struct {
  /// The session bus, as in DBUS_SESSION_BUS_ADDRESS.
  const char *bus_address;
  /// Over everything but a prompt, which takes as long as the user takes.
  int deadline_ms;
  bool allow_prompt;
  /// Out: the D-Bus error name (never its message) with TV_SECRET_REFUSED.
  char refusal[128];
} tv_secret_request;

/// Whether libsecret can be loaded; it is, then.
bool tv_secret_library(void);
/// Unlocks the default collection.
tv_secret_result tv_secret_unlock(tv_secret_request *request);
/// Creates an item in the default collection; never replaces one. `text` is text/plain.
tv_secret_result tv_secret_store(tv_secret_request *request, const char *group,
                                 const char *generation, const char *text, size_t count);
/// Deletes every item of the group's generation, in whatever collection.
tv_secret_result tv_secret_delete(tv_secret_request *request, const char *group,
                                  const char *generation);
