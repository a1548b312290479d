#pragma once
#include <stddef.h>
#include <stdint.h>

// The part of the stable ABI of GLib and libsecret that is called through dlsym. It is declared here
// because SwiftPM would turn the headers' pkg-config into link-time dependencies of every program
// (and puts --as-needed behind the libraries). PrototypeCheck.c compares each declaration with the
// installed headers.

typedef struct _GCancellable GCancellable;
typedef struct _GDBusAuthObserver GDBusAuthObserver;
typedef struct _GDBusConnection GDBusConnection;
typedef struct _GError GError;
typedef struct _GHashTable GHashTable;
typedef struct _GMainContext GMainContext;
typedef struct _SecretCollection SecretCollection;
typedef struct _SecretItem SecretItem;
typedef struct _SecretService SecretService;
typedef struct _SecretValue SecretValue;

#ifndef __G_LIB_H__
typedef struct SecretSchema SecretSchema;
struct _GError { uint32_t domain; int code; char *message; };
typedef struct { size_t type; const char *type_name; unsigned class_size, instance_size; } GTypeQuery;
#endif

/// The first members of GObjectClass.
typedef struct {
  size_t type;
  void *construct_properties;
  void *(*constructor)(size_t type, unsigned count, void *properties);
} object_class;

enum {
  IO_ERROR_CLOSED = 18, IO_ERROR_CANCELLED = 19, IO_ERROR_TIMED_OUT = 24,
  DBUS_ERROR_SERVICE_UNKNOWN = 2, DBUS_ERROR_NAME_HAS_NO_OWNER = 3, DBUS_ERROR_NO_REPLY = 4,
  SECRET_ERROR_LOCKED = 2,
  CONNECT_AS_CLIENT = 1, CONNECT_TO_BUS = 8,
};

#define TV_FUNCTIONS(F) \
  F(void, g_free, (void *)) \
  F(void, g_object_unref, (void *)) \
  F(void, g_object_set, (void *, const char *, ...)) \
  F(void, g_type_query, (size_t, GTypeQuery *)) \
  F(size_t, g_type_register_static_simple, \
    (size_t, const char *, unsigned, void (*)(void *, void *), unsigned, \
     void (*)(TV_INSTANCE *, void *), TV_ENUM(GTypeFlags))) \
  F(void, g_error_free, (GError *)) \
  F(unsigned, g_str_hash, (const void *)) \
  F(int, g_str_equal, (const void *, const void *)) \
  F(GHashTable *, g_hash_table_new, (unsigned (*)(const void *), int (*)(const void *, const void *))) \
  F(int, g_hash_table_insert, (GHashTable *, void *, void *)) \
  F(void, g_hash_table_unref, (GHashTable *)) \
  F(GMainContext *, g_main_context_new, (void)) \
  F(void, g_main_context_push_thread_default, (GMainContext *)) \
  F(int, g_main_context_iteration, (GMainContext *, int)) \
  F(void, g_main_context_pop_thread_default, (GMainContext *)) \
  F(void, g_main_context_unref, (GMainContext *)) \
  F(GCancellable *, g_cancellable_new, (void)) \
  F(void, g_cancellable_cancel, (GCancellable *)) \
  F(int, g_cancellable_is_cancelled, (GCancellable *)) \
  F(uint32_t, g_io_error_quark, (void)) \
  F(uint32_t, g_dbus_error_quark, (void)) \
  F(char *, g_dbus_error_get_remote_error, (const GError *)) \
  F(uint32_t, secret_error_get_quark, (void)) \
  F(void *, g_initable_new, (size_t, GCancellable *, GError **, const char *, ...)) \
  F(size_t, secret_service_get_type, (void)) \
  F(SecretCollection *, secret_collection_for_alias_sync, \
    (SecretService *, const char *, TV_ENUM(SecretCollectionFlags), GCancellable *, GError **)) \
  F(int, secret_collection_get_locked, (SecretCollection *)) \
  F(SecretItem *, secret_item_create_sync, \
    (SecretCollection *, const SecretSchema *, GHashTable *, const char *, SecretValue *, \
     TV_ENUM(SecretItemCreateFlags), GCancellable *, GError **)) \
  F(SecretValue *, secret_value_new, (const char *, ssize_t, const char *)) \
  F(void, secret_value_unref, (void *)) \
  F(int, g_dbus_connection_close_sync, (GDBusConnection *, GCancellable *, GError **)) \
  F(GDBusConnection *, g_dbus_connection_new_for_address_sync, \
    (const char *, TV_ENUM(GDBusConnectionFlags), GDBusAuthObserver *, GCancellable *, GError **))
