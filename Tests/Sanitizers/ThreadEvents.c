// Shows ThreadSanitizer what it does not see, and keeps Foundation from breaking it.
// scripts/sanitize compiles this file and preloads it into the tests.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Missing in the programs that the tests start: there, this file changes nothing.
void __tsan_acquire(void *) __attribute__((weak));
void __tsan_release(void *) __attribute__((weak));

static void *real(const char *name) {
  void *function = dlsym(RTLD_NEXT, name);
  if (function == NULL) abort();
  return function;
}

// The compiler puts the fast path of a Mutex into the program, where the sanitizer sees its atomic
// operations. The slow path, for a Mutex that another thread holds, is in libswiftSynchronization,
// which is built without the sanitizer: each contended lock would look like a race.
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

SWIFT void lock_slow(uint32_t thread, SELF) __asm__(LOCK_SLOW);
SWIFT void unlock_slow(SELF) __asm__(UNLOCK_SLOW);

SWIFT void lock_slow(uint32_t thread, SELF) {
  SWIFT void (*next)(uint32_t, SELF) = real(LOCK_SLOW);
  next(thread, self);
  if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT void unlock_slow(SELF) {
  SWIFT void (*next)(SELF) = real(UNLOCK_SLOW);
  if (__tsan_release) __tsan_release(self);
  next(self);
}

// Core Foundation frees a thread's run loop in the last round of the thread's destructors, when the
// sanitizer has already freed what malloc needs on that thread, and the process crashes. Each thread
// that starts a program with Foundation's Process has a run loop. Here, all of Core Foundation's
// rounds are in the first one. Its key is the first that the library creates, when it is loaded.
static pthread_key_t foundation_key;
static void (*foundation_round)(void *);

static void all_rounds(void *value) {
  for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS && value; round++) {
    foundation_round(value);
    value = pthread_getspecific(foundation_key);
  }
  pthread_setspecific(foundation_key, NULL);
}

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
  int (*next)(pthread_key_t *, void (*)(void *)) = real("pthread_key_create");
  Dl_info owner;
  if (!__tsan_acquire || foundation_round || !destructor || !dladdr((void *)destructor, &owner)
      || !strstr(owner.dli_fname, "/libFoundation.so"))
    return next(key, destructor);
  foundation_round = destructor;
  int failure = next(&foundation_key, all_rounds);
  *key = foundation_key;
  return failure;
}
