// Runs a program under ptrace, numbers the system calls of all its threads, and does one
// thing at call N: kills the program, stops it, or lets the call fail. strace numbers the calls
// of each thread and each name on its own, so it cannot reach every call of a program with threads.
//
//   tracer -n                             only numbers the calls
//   tracer -k N | -s N | -e N:ERRNO       kills at call N, stops at it, or lets it fail
//   tracer -K N                           kills after N calls that change something outside of it
//   tracer ... -l FILE                    writes "N name result path" for each call
//   tracer ... -u ROOT                    numbers only the calls about files below ROOT
//   tracer ... -r ROOT FILE               records each change of files below ROOT, with its data,
//                                         by children, too
//   tracer ... -- PROGRAM ARGUMENT...
//
// The status is that of the program, or 137 if it was killed. The last line of the log is
// "end N EFFECTS": the number of calls, and of those that change something outside of the process.
#define _GNU_SOURCE
#include "tracer.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_THREADS = 512 };

static struct call threads[MAX_THREADS];
static int thread_count;
static long killed_at, killed_after, stopped_at, failed_at, number;
static int error_number;
static long effects;
static FILE *log_file;
static const char *root;

static void die(const char *what) {
  fprintf(stderr, "tracer: %s: %s\n", what, strerror(errno));
  exit(70);
}

static struct call *thread(pid_t tid) {
  for (int i = 0; i < thread_count; i++)
    if (threads[i].tid == tid) return &threads[i];
  if (thread_count == MAX_THREADS) die("too many threads");
  struct call *new = &threads[thread_count++];
  memset(new, 0, sizeof *new);
  new->tid = tid;
  return new;
}

static void forget(pid_t tid) {
  for (int i = 0; i < thread_count; i++)
    if (threads[i].tid == tid) threads[i] = threads[--thread_count];
}

// A call with the number -1 is not made; the result is set when it returns.
static void suppress(pid_t tid) {
#if defined(__x86_64__)
  ptrace(PTRACE_POKEUSER, tid, offsetof(struct user_regs_struct, orig_rax), -1L);
#elif defined(__aarch64__)
  int none = -1;
  struct iovec value = {&none, sizeof none};
  ptrace(PTRACE_SETREGSET, tid, NT_ARM_SYSTEM_CALL, &value);
#else
#error "this architecture is not supported"
#endif
}

static void set_result(pid_t tid, long result) {
  struct user_regs_struct registers;
  struct iovec value = {&registers, sizeof registers};
  ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &value);
#if defined(__x86_64__)
  registers.rax = result;
#else
  registers.regs[0] = result;
#endif
  ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &value);
}

static void write_log(const struct call *call, long result) {
  if (!log_file) return;
  fprintf(log_file, "%ld %s %ld %s\n", call->index, call_name(call->nr), result, call->path);
}

static void entered(struct call *call, const struct __ptrace_syscall_info *info, pid_t program) {
  call->inside = 1;
  call->nr = (long)info->entry.nr;
  for (int i = 0; i < 6; i++) call->args[i] = info->entry.args[i];
  call->path[0] = 0;
  describe(call);
  if (root && strncmp(call->path, root, strlen(root))) {
    call->index = 0;
    return;
  }
  call->index = ++number;
  if (number == killed_at) {
    kill(program, SIGKILL);
  } else if (number == stopped_at) {
    kill(program, SIGSTOP);
  } else if (number == failed_at) {
    call->fails = 1;
    suppress(call->tid);
  }
}

static void left(struct call *call, const struct __ptrace_syscall_info *info, pid_t program) {
  long result = (long)info->exit.rval;
  if (call->fails) {
    set_result(call->tid, -error_number);
    result = -error_number;
    call->fails = 0;
  }
  call->inside = 0;
  if (call->index) write_log(call, result);
  if (result < 0) return;
  if (is_effect(call) && ++effects == killed_after) kill(program, SIGKILL);
  record(call, result);
}

static int follow(pid_t program) {
  int status = 0, counting = 0;
  for (;;) {
    int state;
    pid_t tid = waitpid(-1, &state, __WALL);
    if (tid < 0) {
      if (errno == EINTR) continue;
      return status;
    }
    if (WIFEXITED(state) || WIFSIGNALED(state)) {
      forget(tid);
      if (tid == program) {
        status = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
        // Processes that the program started may run for long. They end with this process.
        return status;
      }
      continue;
    }
    if (!WIFSTOPPED(state)) continue;
    int signal = WSTOPSIG(state), event = state >> 16, delivered = 0;
    if (signal == (SIGTRAP | 0x80)) {
      struct __ptrace_syscall_info info;
      if (counting && ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof info, &info) > 0) {
        struct call *call = thread(tid);
        if (info.op == PTRACE_SYSCALL_INFO_ENTRY) entered(call, &info, program);
        else if (info.op == PTRACE_SYSCALL_INFO_EXIT && call->inside) left(call, &info, program);
      }
    } else if (event == PTRACE_EVENT_EXEC) {
      counting = 1;
      thread(tid)->inside = 0;
    } else if (event == PTRACE_EVENT_STOP && (signal == SIGSTOP || signal == SIGTSTP)) {
      // A group stop: the program stays stopped until it is continued from outside.
      if (log_file && counting && tid == program) {
        fprintf(log_file, "stopped %d\n", program);
        fflush(log_file);
      }
      ptrace(PTRACE_LISTEN, tid, 0, 0);
      continue;
    } else if (event == 0) {
      delivered = signal;
    }
    ptrace(PTRACE_SYSCALL, tid, 0, delivered);
  }
}

int main(int argc, char **argv) {
  int at = 1;
  for (; at < argc && strcmp(argv[at], "--"); at++) {
    if (!strcmp(argv[at], "-k")) killed_at = atol(argv[++at]);
    else if (!strcmp(argv[at], "-K")) killed_after = atol(argv[++at]);
    else if (!strcmp(argv[at], "-s")) stopped_at = atol(argv[++at]);
    else if (!strcmp(argv[at], "-e")) sscanf(argv[++at], "%ld:%d", &failed_at, &error_number);
    else if (!strcmp(argv[at], "-l")) log_file = fopen(argv[++at], "we");
    else if (!strcmp(argv[at], "-u")) root = argv[++at];
    else if (!strcmp(argv[at], "-r")) start_recording(argv[at + 1], argv[at + 2]), at += 2;
    else if (strcmp(argv[at], "-n")) die(argv[at]);
  }
  if (at + 1 >= argc) die("no program");
  pid_t program = fork();
  if (program == 0) {
    raise(SIGSTOP);
    execv(argv[at + 1], argv + at + 1);
    die(argv[at + 1]);
  }
  waitpid(program, NULL, WUNTRACED);
  long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
  if (is_recording()) options |= PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK;
  if (ptrace(PTRACE_SEIZE, program, 0, options)) die("PTRACE_SEIZE");
  kill(program, SIGCONT);
  int status = follow(program);
  if (log_file) fprintf(log_file, "end %ld %ld\n", number, effects);
  return status;
}
