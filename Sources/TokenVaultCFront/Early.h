#pragma once

// For code that runs before relocation. The C library is not initialised either: no pointer in static
// memory, no function of the library, not even one that the compiler puts in, and no stack protector.
#define EARLY __attribute__((no_stack_protector, no_builtin))

EARLY static inline long system_call(long number, long a, long b, long c) {
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c)
                   : "rcx", "r11", "memory");
  return result;
}

// Connects to the session bus and sends it the first message of a conversation with the keyring.
void tv_call_bus(char **environment);

// Replaces this process by the full program, with the same arguments and environment. Returns if it
// cannot be run.
void tv_run_full_program(void);

// The arguments of the process, with its name.
char **tv_arguments(int *count);
