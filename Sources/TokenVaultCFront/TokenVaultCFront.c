#include "TokenVaultCFront.h"

#if defined(__x86_64__)

#include <linux/limits.h>
#include <sys/syscall.h>

#include "Early.h"

// From the kernel, with the arguments on the stack; to the C library's entry point, which finds the stack
// as the kernel left it, and in rdx that there is no loader.
__asm__(
    ".text\n"
    ".globl tv_start\n"
    ".type tv_start, @function\n"
    "tv_start:\n"
    "  xor %ebp, %ebp\n"
    "  mov %rsp, %rbx\n"
    "  mov %rsp, %rdi\n"
    "  and $-16, %rsp\n"
    "  call tv_settle\n"
    "  mov %rbx, %rsp\n"
    "  xor %edx, %edx\n"
    "  jmp _start\n"
    ".size tv_start, . - tv_start\n");

EARLY static inline int equal(const char *text, const char *other) {
  for (; *text == *other; text++, other++) {
    if (*text == 0) return 1;
  }
  return 0;
}

EARLY static inline const char *last_component(const char *path) {
  const char *last = path;
  for (; *path != 0; path++) {
    if (*path == '/') last = path + 1;
  }
  return last;
}

// As the kernel left it: the number of arguments, the arguments, NULL, the environment.
static long *start;

EARLY static inline char **arguments(void) { return (char **)(start + 1); }
EARLY static inline char **environment(void) { return arguments() + start[0] + 1; }

EARLY void tv_run_full_program(void) {
  static const char full[] = "/libexec/tokenvault/tokenvault";
  char path[PATH_MAX + sizeof full];
  long length = system_call(SYS_readlink, (long)"/proc/self/exe", (long)path, PATH_MAX);
  if (length <= 0 || length >= PATH_MAX) return;
  // Without the name, and the directory of the name.
  for (int parts = 0; parts < 2; parts++) {
    do {
      if (length == 0) return;
      length--;
    } while (path[length] != '/');
  }
  for (unsigned long i = 0; i < sizeof full; i++) path[length + (long)i] = full[i];
  system_call(SYS_execve, (long)path, (long)arguments(), (long)environment());
}

__attribute__((used)) static void settle(long *stack) __asm__("tv_settle");
EARLY static void settle(long *stack) {
  start = stack;
  char **argv = arguments();
  // Under another name, the program is a credential helper.
  if (start[0] > 1 && equal(last_component(argv[0]), "tokenvault") && equal(argv[1], "token")) {
    tv_call_bus(environment());
    return;
  }
  tv_run_full_program();
}

#ifdef TV_OWN_RUNTIME
char **tv_arguments(int *count) {
  *count = (int)start[0];
  return arguments();
}
#endif

#endif
