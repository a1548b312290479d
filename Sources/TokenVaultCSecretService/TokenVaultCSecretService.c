#define _GNU_SOURCE
#include "TokenVaultCSecretService.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/types.h>
#include <time.h>

// A C enum with no negative value is passed as unsigned int.
#define TV_ENUM(name) unsigned
#define TV_INSTANCE void
#include "Prototypes.h"

#define DECLARE(result, name, arguments) static result(*p_##name) arguments;
TV_FUNCTIONS(DECLARE)

static size_t service_type;
static void *(*construct_parent)(size_t type, unsigned count, void *properties);

// SecretService always uses the bus of the process's environment, and aborts when it is given a
// connection as well. Its constructor sets that bus; this resets it.
static void *construct_without_bus(size_t type, unsigned count, void *properties) {
  void *service = construct_parent(type, count, properties);
  p_g_object_set(service, "g-bus-type", 0, NULL);
  return service;
}

static void initialize_class(void *class, void *data) {
  (void)data;
  construct_parent = ((object_class *)class)->constructor;
  ((object_class *)class)->constructor = construct_without_bus;
}

static void load(void) {
  // In a static executable, which has no dynamic loader, dlopen would start a second C library in
  // this process and crash.
  if (getauxval(AT_BASE) == 0) return;
  // GLib registers types and starts threads: it can never be unloaded.
  void *library = dlopen("libsecret-1.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) return;
  // A lookup also searches the dependencies of the library, so the same handle finds GLib.
#define RESOLVE(result, name, arguments) \
  if (!(p_##name = (__typeof__(p_##name))dlsym(library, #name))) return;
  TV_FUNCTIONS(RESOLVE)
  GTypeQuery parent;
  p_g_type_query(p_secret_service_get_type(), &parent);
  service_type = p_g_type_register_static_simple(
      parent.type, "TokenVaultSecretService", parent.class_size, initialize_class,
      parent.instance_size, NULL, 0);
}

// A deadline: a thread that cancels the GCancellable when the time is up. GLib's synchronous calls
// have no timeout that covers a whole conversation.
typedef struct {
  GCancellable *cancellable;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  struct timespec at;
  bool running, over;
} deadline;

static void *wait_for_deadline(void *argument) {
  deadline *d = argument;
  pthread_mutex_lock(&d->mutex);
  int expired = 0;
  while (!d->over && !expired)
    expired = pthread_cond_timedwait(&d->changed, &d->mutex, &d->at);
  bool cancel = !d->over;
  pthread_mutex_unlock(&d->mutex);
  if (cancel) p_g_cancellable_cancel(d->cancellable);
  return NULL;
}

static void deadline_start(deadline *d, int ms) {
  memset(d, 0, sizeof *d);
  d->cancellable = p_g_cancellable_new();
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&d->mutex, NULL);
  pthread_cond_init(&d->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  clock_gettime(CLOCK_MONOTONIC, &d->at);
  d->at.tv_sec += ms / 1000;
  d->at.tv_nsec += (long)(ms % 1000) * 1000000;
  if (d->at.tv_nsec >= 1000000000) d->at.tv_sec++, d->at.tv_nsec -= 1000000000;
  d->running = pthread_create(&d->thread, NULL, wait_for_deadline, d) == 0;
  // Without the thread there is no deadline, and failing at once is better than hanging.
  if (!d->running) p_g_cancellable_cancel(d->cancellable);
}

// Stops the deadline, which must not run while the user sees a prompt.
static void deadline_pause(deadline *d) {
  if (!d->running) return;
  pthread_mutex_lock(&d->mutex);
  d->over = true;
  pthread_cond_signal(&d->changed);
  pthread_mutex_unlock(&d->mutex);
  pthread_join(d->thread, NULL);
  d->running = false;
}

static void deadline_end(deadline *d) {
  deadline_pause(d);
  pthread_cond_destroy(&d->changed);
  pthread_mutex_destroy(&d->mutex);
  p_g_object_unref(d->cancellable);
}

typedef struct {
  tv_secret_request *request;
  GMainContext *context;
  deadline limit;
  GDBusConnection *connection;
  SecretService *service;
  SecretCollection *collection;
} session;

static tv_secret_result failure(session *s, GError *error, tv_secret_result otherwise) {
  if (!error) return otherwise;
  tv_secret_result result = TV_SECRET_REFUSED;
  // GLib does not report every cancelled call as cancelled: an authentication that the deadline
  // interrupts ends with the error of the interrupted read.
  if (p_g_cancellable_is_cancelled(s->limit.cancellable)) {
    result = TV_SECRET_TIMED_OUT;
  } else if (error->domain == p_g_io_error_quark()) {
    if (error->code == IO_ERROR_CANCELLED || error->code == IO_ERROR_TIMED_OUT)
      result = TV_SECRET_TIMED_OUT;
    else if (error->code == IO_ERROR_CLOSED) result = TV_SECRET_GONE;
  } else if (error->domain == p_g_dbus_error_quark()) {
    if (error->code == DBUS_ERROR_SERVICE_UNKNOWN || error->code == DBUS_ERROR_NAME_HAS_NO_OWNER)
      result = TV_SECRET_NO_SERVICE;
    else if (error->code == DBUS_ERROR_NO_REPLY) result = TV_SECRET_GONE;
  } else if (error->domain == p_secret_error_get_quark() && error->code == SECRET_ERROR_LOCKED) {
    result = TV_SECRET_LOCKED;
  }
  if (result == TV_SECRET_REFUSED) {
    char *name = p_g_dbus_error_get_remote_error(error);
    strncpy(s->request->refusal, name ? name : "", sizeof s->request->refusal - 1);
    p_g_free(name);
  }
  p_g_error_free(error);
  return result;
}

bool tv_secret_library(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return service_type != 0;
}

// Connects to the given bus, not to the one of the process's environment, and finds the default
// collection.
static tv_secret_result begin(session *s, tv_secret_request *request) {
  memset(s, 0, sizeof *s);
  s->request = request;
  request->refusal[sizeof request->refusal - 1] = 0;
  if (!tv_secret_library()) return TV_SECRET_NO_LIBRARY;
  // GLib defers the release of proxies to the thread's main context, and nothing runs the default one.
  s->context = p_g_main_context_new();
  p_g_main_context_push_thread_default(s->context);
  deadline_start(&s->limit, request->deadline_ms);
  GCancellable *cancellable = s->limit.cancellable;

  GError *error = NULL;
  s->connection = p_g_dbus_connection_new_for_address_sync(
      request->bus_address, CONNECT_AS_CLIENT | CONNECT_TO_BUS, NULL, cancellable, &error);
  if (!s->connection) {
    tv_secret_result result = failure(s, error, TV_SECRET_NO_BUS);
    return result == TV_SECRET_TIMED_OUT ? result : TV_SECRET_NO_BUS;
  }
  // Name, path and interface are set by SecretService's constructor.
  s->service =
      p_g_initable_new(service_type, cancellable, &error, "g-connection", s->connection, NULL);
  if (!s->service) return failure(s, error, TV_SECRET_NO_SERVICE);
  // This call sends ReadAlias and waits for the answer: gnome-keyring 42 may abort if OpenSession is
  // the first call of a client, and at first may not find the collection.
  for (long ms = 1; !s->collection && !error && ms <= 16; ms *= 2) {
    struct timespec pause = {0, ms * 1000000};
    if (ms > 1) nanosleep(&pause, NULL);
    s->collection = p_secret_collection_for_alias_sync(s->service, "default", 0, cancellable, &error);
  }
  if (!s->collection) return failure(s, error, TV_SECRET_NO_COLLECTION);
  return TV_SECRET_OK;
}

static tv_secret_result end(session *s, tv_secret_result result) {
  if (s->collection) p_g_object_unref(s->collection);
  if (s->service) p_g_object_unref(s->service);
  if (s->connection) {
    p_g_dbus_connection_close_sync(s->connection, NULL, NULL);
    p_g_object_unref(s->connection);
  }
  if (s->limit.cancellable) deadline_end(&s->limit);
  if (s->context) {
    while (p_g_main_context_iteration(s->context, 0)) continue;
    p_g_main_context_pop_thread_default(s->context);
    p_g_main_context_unref(s->context);
  }
  return result;
}

tv_secret_result tv_secret_store(tv_secret_request *request, const char *label,
                                 const char *content_type, const tv_secret_attribute *attributes,
                                 size_t count, const void *secret, size_t size) {
  session s;
  tv_secret_result result = begin(&s, request);
  if (result == TV_SECRET_OK && p_secret_collection_get_locked(s.collection))
    result = TV_SECRET_LOCKED;
  if (result != TV_SECRET_OK) return end(&s, result);

  GHashTable *table = p_g_hash_table_new(p_g_str_hash, p_g_str_equal);
  for (size_t i = 0; i < count; i++)
    p_g_hash_table_insert(table, (void *)attributes[i].name, (void *)attributes[i].value);
  SecretValue *value = p_secret_value_new(secret, (ssize_t)size, content_type);
  GError *error = NULL;
  // A service may ask the user before it creates an item.
  if (request->allow_prompt) deadline_pause(&s.limit);
  // No SECRET_ITEM_CREATE_REPLACE: gnome-keyring replaces an item that has these attributes and more.
  SecretItem *item = p_secret_item_create_sync(
      s.collection, NULL, table, label, value, 0, s.limit.cancellable, &error);
  if (item) p_g_object_unref(item);
  else result = failure(&s, error, TV_SECRET_DISMISSED);
  p_secret_value_unref(value);
  p_g_hash_table_unref(table);
  return end(&s, result);
}
