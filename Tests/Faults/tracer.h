// One system call of a thread of the traced program.
#include <stddef.h>
#include <sys/types.h>

enum { PATH_SIZE = 4096 };

struct call {
  pid_t tid;
  int inside, fails;
  long index, nr;
  unsigned long args[6];
  char path[PATH_SIZE];
  int existed;   // an open that may create: whether the file was there before
  long position; // a write at the file's position: that position
};

const char *call_name(long nr);

// Sets the path that a call refers to: "" if it refers to none.
void describe(struct call *call);

// Whether a call changes something outside of the process: a file, or what it sends.
int is_effect(const struct call *call);

void start_recording(const char *root, const char *file);
int is_recording(void);
void record(const struct call *call, long result);
