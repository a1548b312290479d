#pragma once
#include <stdbool.h>
#include <stddef.h>

// The operation that needs libsecret: creating an item, whose secret it encrypts on the bus. libsecret
// and GLib are loaded at the first call, not at program start, because a warm read does not need them.
// Every function blocks. No result contains text of a secret.

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
  /// Limits the whole call, except for the time in which a prompt is shown.
  int deadline_ms;
  bool allow_prompt;
  /// Out: the D-Bus error name (never its message) with TV_SECRET_REFUSED.
  char refusal[128];
} tv_secret_request;

/// Loads libsecret, if that has not been done; false if it cannot be loaded.
bool tv_secret_library(void);

/// A name and a value by which an item is found.
typedef struct {
  const char *name;
  const char *value;
} tv_secret_attribute;

/// Creates an item in the default collection, which is not locked; never replaces one.
tv_secret_result tv_secret_store(tv_secret_request *request, const char *label,
                                 const char *content_type, const tv_secret_attribute *attributes,
                                 size_t count, const void *secret, size_t size);
