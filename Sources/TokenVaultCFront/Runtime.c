// Parts of the Swift runtime and of libcrypto that the front does without, or has in a shorter form. A
// static executable contains what anything refers to, also if it never runs, and relocates it at each
// start (docs/decisions/0030-small-front.md). Each definition is weak: the library's own one takes its
// place if its object file is needed for something else.
#if defined(TV_OWN_RUNTIME) && defined(__x86_64__)

#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "Early.h"

#define WEAK __attribute__((weak))

// The crash reporter of the runtime, which it looks for in nine places beside the executable. It is not
// used: the front takes away the runtime's signal handlers before it reads anything secret.
WEAK char *swift_copyAuxiliaryExecutablePath(const char *name);
WEAK char *swift_copyAuxiliaryExecutablePath(const char *name) {
  (void)name;
  return NULL;
}

// The runtime looks for the arguments on the stack, whose place it reads from /proc/self/maps.
WEAK char **_swift_stdlib_getUnsafeArgvArgc(int *count);
WEAK char **_swift_stdlib_getUnsafeArgvArgc(int *count) { return tv_arguments(count); }

// Not used: the front does not replace its arguments.
WEAK void _swift_stdlib_overrideUnsafeArgvArgc(char **arguments, int count);
WEAK void _swift_stdlib_overrideUnsafeArgvArgc(char **arguments, int count) {
  (void)arguments;
  (void)count;
}

// Code that does need an absent function makes the full program answer from the beginning: the front
// prints nothing before its end.
__attribute__((used)) static void leave(void) {
  static const char text[] =
      "tokenvault: The full program cannot be run. Nothing was changed.\n"
      "next: install TokenVault again\n";
  tv_run_full_program();
  system_call(SYS_write, STDERR_FILENO, (long)text, sizeof text - 1);
  system_call(SYS_exit_group, 1, 0, 0);
}
#define CALL(name) WEAK __attribute__((alias("leave"))) void name(void);
#define OBJECT(name) WEAK char name[1];

// libdispatch, whose tables have 17 pages to relocate, and which counts the processors. The front has no
// other thread.
CALL(dispatch_activate) CALL(dispatch_after) CALL(dispatch_after_f) CALL(dispatch_apply)
CALL(dispatch_assert_queue) CALL(dispatch_assert_queue_barrier) CALL(dispatch_assert_queue_not)
CALL(dispatch_async) CALL(dispatch_async_f) CALL(dispatch_barrier_async) CALL(dispatch_barrier_sync)
CALL(dispatch_block_cancel) CALL(dispatch_block_create) CALL(dispatch_block_create_with_qos_class)
CALL(dispatch_block_notify) CALL(dispatch_block_testcancel) CALL(dispatch_block_wait)
CALL(dispatch_get_global_queue) CALL(dispatch_get_specific) CALL(dispatch_group_async)
CALL(dispatch_group_create) CALL(dispatch_group_enter) CALL(dispatch_group_leave)
CALL(dispatch_group_notify) CALL(dispatch_group_wait) CALL(dispatch_io_barrier)
CALL(dispatch_io_create) CALL(dispatch_io_create_with_io) CALL(dispatch_io_create_with_path)
CALL(dispatch_io_get_descriptor) CALL(dispatch_io_set_high_water) CALL(dispatch_io_set_low_water)
CALL(dispatch_main) CALL(dispatch_queue_attr_make_initially_inactive)
CALL(dispatch_queue_attr_make_with_autorelease_frequency)
CALL(dispatch_queue_attr_make_with_qos_class) CALL(dispatch_queue_create)
CALL(dispatch_queue_create_with_target) CALL(dispatch_queue_get_label)
CALL(dispatch_queue_get_qos_class) CALL(dispatch_queue_get_specific)
CALL(dispatch_queue_set_specific) CALL(dispatch_queue_set_width) CALL(dispatch_release)
CALL(dispatch_resume) CALL(dispatch_retain) CALL(dispatch_semaphore_create)
CALL(dispatch_semaphore_signal) CALL(dispatch_semaphore_wait) CALL(dispatch_set_context)
CALL(dispatch_set_target_queue) CALL(dispatch_source_cancel) CALL(dispatch_source_create)
CALL(dispatch_source_get_data) CALL(dispatch_source_get_handle) CALL(dispatch_source_get_mask)
CALL(dispatch_source_merge_data) CALL(dispatch_source_set_cancel_handler)
CALL(dispatch_source_set_event_handler) CALL(dispatch_source_set_event_handler_f)
CALL(dispatch_source_set_registration_handler) CALL(dispatch_source_set_timer)
CALL(dispatch_source_testcancel) CALL(dispatch_suspend) CALL(dispatch_sync) CALL(dispatch_time)
CALL(dispatch_walltime)

OBJECT(_dispatch_main_q) OBJECT(_dispatch_queue_attr_concurrent)
OBJECT(_dispatch_source_type_data_add) OBJECT(_dispatch_source_type_data_or)
OBJECT(_dispatch_source_type_data_replace) OBJECT(_dispatch_source_type_read)
OBJECT(_dispatch_source_type_signal) OBJECT(_dispatch_source_type_timer)
OBJECT(_dispatch_source_type_write)

// Functions of Swift for text, by their mangled names: firstRange(of:), split(separator:), replacing(_:with:)
// and contains(_:). They come with a parser of regular expressions, which has 12 pages to relocate. No
// code that finds a stored token calls them.
#define FUNCTION(name, mangled) WEAK __attribute__((alias("leave"))) void name(void) __asm__(mangled);

FUNCTION(first_range, "$sSK17_StringProcessingSL7ElementRpzrlE10firstRange2ofSny5IndexQzGSgqd___tSlRd__ABQyd"
                      "__ACRSlF")
FUNCTION(split, "$sSl17_StringProcessingSQ7ElementRpzrlE5split9separator9maxSplits25omittingEmptySubsequences"
                "Say11SubSequenceQzGqd___SiSbtSlRd__ABQyd__ACRSlF")
FUNCTION(replacing, "$sSm17_StringProcessingSQ7ElementRpzrlE9replacing_4with15maxReplacementsxqd___qd_0_SitSl"
                    "Rd__SlRd_0_ABQyd__ACRSABQyd_0_AGRSr0_lF")
FUNCTION(contains, "$sSy17_StringProcessingE8containsySbSSF")

// The object files of libcrypto that a stored token uses call these functions of other object files.
#ifdef TV_OWN_PROVIDER
#include <openssl/opensslv.h>

#include "AbsentCrypto.h"
#endif

#endif
