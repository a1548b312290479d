// The changes that a traced program makes to files, and its messages to sockets, written to a file
// in their order. Each record is a line, for a write and a message followed by the data:
//
//   create ID PATH            a file that was not there; also of a file without a name
//   truncate ID SIZE          write ID OFFSET SIZE \n DATA          send SIZE \n DATA
//   sync ID                   syncdir PATH
//   link PATH PATH | ID PATH  rename PATH PATH     exchange PATH PATH
//   unlink PATH               mkdir PATH           rmdir PATH       say (to standard output)
//
// ID is the device and inode number. Paths are absolute; the fields are separated by a zero byte.
#define _GNU_SOURCE
#include "tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static const struct { long nr; const char *name; } names[] = {
#include "names.inc"
};

static FILE *file;
static const char *root;

// A call that this architecture does not have gets a number that no call has.
#ifndef __NR_open
#define __NR_open -2
#define __NR_creat -3
#define __NR_rename -4
#define __NR_link -5
#define __NR_unlink -6
#define __NR_mkdir -7
#define __NR_rmdir -8
#define __NR_access -9
#define __NR_stat -10
#define __NR_lstat -11
#define __NR_readlink -12
#define __NR_chmod -13
#endif
#ifndef __NR_renameat
#define __NR_renameat -14
#endif

const char *call_name(long nr) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].nr == nr) return names[i].name;
  return "unknown";
}

static void peek(pid_t tid, unsigned long address, void *to, size_t size) {
  struct iovec local = {to, size}, remote = {(void *)address, size};
  if (process_vm_readv(tid, &local, 1, &remote, 1, 0) != (ssize_t)size) {
    perror("tracer: the memory of the program cannot be read");
    exit(70);
  }
}

static void peek_text(pid_t tid, unsigned long address, char *to, size_t size) {
  size_t got = 0;
  // Not beyond a page, because the next one may not exist.
  while (got < size - 1) {
    size_t part = 4096 - (address + got) % 4096;
    if (part > size - 1 - got) part = size - 1 - got;
    struct iovec local = {to + got, part}, remote = {(void *)(address + got), part};
    if (process_vm_readv(tid, &local, 1, &remote, 1, 0) != (ssize_t)part) break;
    if (memchr(to + got, 0, part)) return;
    got += part;
  }
  to[got] = 0;
}

static void path_of_fd(pid_t tid, int fd, char *to) {
  char link[64];
  if (fd == AT_FDCWD) snprintf(link, sizeof link, "/proc/%d/cwd", tid);
  else snprintf(link, sizeof link, "/proc/%d/fd/%d", tid, fd);
  ssize_t size = readlink(link, to, PATH_SIZE - 1);
  to[size < 0 ? 0 : size] = 0;
}

static void path_at(pid_t tid, int directory, unsigned long address, char *to) {
  char name[PATH_SIZE];
  peek_text(tid, address, name, sizeof name);
  if (name[0] == '/') {
    strcpy(to, name);
    return;
  }
  path_of_fd(tid, directory, to);
  size_t size = strlen(to);
  if (name[0]) snprintf(to + size, PATH_SIZE - size, "/%s", name);
}

// The number of the descriptor in a path like /proc/self/fd/7, or -1.
static int named_fd(const char *path) {
  int fd, used = 0;
  if (sscanf(path, "/proc/self/fd/%d%n", &fd, &used) == 1 && !path[used]) return fd;
  return -1;
}

static int opens(const struct call *call, int *directory, unsigned long *name, long *flags) {
  if (call->nr == __NR_openat) {
    *directory = (int)call->args[0], *name = call->args[1], *flags = (long)call->args[2];
  } else if (call->nr == __NR_open) {
    *directory = AT_FDCWD, *name = call->args[0], *flags = (long)call->args[1];
  } else if (call->nr == __NR_creat) {
    *directory = AT_FDCWD, *name = call->args[0], *flags = O_CREAT | O_TRUNC | O_WRONLY;
  } else {
    return 0;
  }
  return 1;
}

static int takes_fd(long nr) {
  switch (nr) {
    case __NR_read: case __NR_write: case __NR_pread64: case __NR_pwrite64: case __NR_readv:
    case __NR_writev: case __NR_preadv: case __NR_pwritev: case __NR_fsync: case __NR_fdatasync:
    case __NR_ftruncate: case __NR_fallocate: case __NR_fchmod: case __NR_fcntl: case __NR_fstat:
    case __NR_close: case __NR_lseek: case __NR_getdents64: case __NR_flock: case __NR_sendto:
    case __NR_sendmsg: case __NR_recvmsg: case __NR_recvfrom: case __NR_connect:
    case __NR_fgetxattr: case __NR_fsetxattr: case __NR_fstatfs:
      return 1;
  }
  return 0;
}

void describe(struct call *call) {
  int directory;
  unsigned long name;
  long flags;
  if (opens(call, &directory, &name, &flags)) {
    path_at(call->tid, directory, name, call->path);
    struct stat found;
    call->existed = lstat(call->path, &found) == 0;
  } else if (call->nr == __NR_mmap && !(call->args[3] & 0x20)) {
    path_of_fd(call->tid, (int)call->args[4], call->path);
  } else if (takes_fd(call->nr)) {
    path_of_fd(call->tid, (int)call->args[0], call->path);
    call->position = 0;
    if (file && (call->nr == __NR_write || call->nr == __NR_writev)) {
      char info[64];
      snprintf(info, sizeof info, "/proc/%d/fdinfo/%d", call->tid, (int)call->args[0]);
      FILE *position = fopen(info, "re");
      if (position) {
        if (fscanf(position, "pos: %ld", &call->position) != 1) call->position = 0;
        fclose(position);
      }
    }
  } else {
    switch (call->nr) {
      case __NR_mkdirat: case __NR_unlinkat: case __NR_linkat: case __NR_renameat2:
      case __NR_newfstatat: case __NR_faccessat: case __NR_faccessat2: case __NR_readlinkat:
      case __NR_fchmodat: case __NR_statx: case __NR_utimensat:
        path_at(call->tid, (int)call->args[0], call->args[1], call->path);
        break;
      case __NR_symlinkat:
        path_at(call->tid, (int)call->args[1], call->args[2], call->path);
        break;
      default:
        if (call->nr == __NR_renameat)
          path_at(call->tid, (int)call->args[0], call->args[1], call->path);
        else if (call->nr == __NR_rename || call->nr == __NR_link || call->nr == __NR_unlink ||
                 call->nr == __NR_mkdir || call->nr == __NR_rmdir || call->nr == __NR_access ||
                 call->nr == __NR_stat || call->nr == __NR_lstat || call->nr == __NR_readlink ||
                 call->nr == __NR_chmod || call->nr == __NR_statfs)
          path_at(call->tid, AT_FDCWD, call->args[0], call->path);
    }
  }
}

int is_effect(const struct call *call) {
  int directory;
  unsigned long name;
  long flags;
  switch (call->nr) {
    case __NR_write: case __NR_writev:
      return strncmp(call->path, "anon_inode:", 11) != 0;
    case __NR_pwrite64: case __NR_pwritev: case __NR_ftruncate: case __NR_fallocate:
    case __NR_fsync: case __NR_fdatasync: case __NR_renameat2: case __NR_linkat:
    case __NR_unlinkat: case __NR_mkdirat: case __NR_symlinkat: case __NR_fchmod:
    case __NR_fchmodat: case __NR_sendto: case __NR_sendmsg: case __NR_keyctl: case __NR_add_key:
      return 1;
  }
  if (opens(call, &directory, &name, &flags))
    return (flags & O_TMPFILE) == O_TMPFILE || flags & (O_CREAT | O_TRUNC);
  return call->nr == __NR_renameat || call->nr == __NR_rename || call->nr == __NR_link ||
         call->nr == __NR_unlink || call->nr == __NR_mkdir || call->nr == __NR_rmdir ||
         call->nr == __NR_chmod;
}

void start_recording(const char *below, const char *path) {
  root = below;
  file = fopen(path, "we");
  if (!file) {
    perror(path);
    exit(70);
  }
}

int is_recording(void) { return file != NULL; }

static int is_below(const char *path) {
  size_t size = strlen(root);
  return !strncmp(path, root, size) && (path[size] == '/' || !path[size]);
}

static int put_id(pid_t tid, int fd) {
  char link[64];
  struct stat found;
  snprintf(link, sizeof link, "/proc/%d/fd/%d", tid, fd);
  if (stat(link, &found)) return 0;
  fprintf(file, "%lx.%lx", (long)found.st_dev, (long)found.st_ino);
  return S_ISDIR(found.st_mode) ? 2 : 1;
}

static void put_data(pid_t tid, unsigned long address, size_t size) {
  char *data = malloc(size + 1);
  peek(tid, address, data, size);
  fwrite(data, 1, size, file);
  free(data);
}

static void put_vector(const struct call *call, unsigned long vector, size_t count, long size) {
  for (size_t i = 0; i < count && size > 0; i++) {
    struct iovec part;
    peek(call->tid, vector + i * sizeof part, &part, sizeof part);
    size_t taken = (long)part.iov_len < size ? part.iov_len : (size_t)size;
    put_data(call->tid, (unsigned long)part.iov_base, taken);
    size -= (long)taken;
  }
}

static void put_write(const struct call *call, long offset, long size) {
  fputs("write", file), fputc(0, file);
  put_id(call->tid, (int)call->args[0]);
  fprintf(file, "%c%ld%c%ld\n", 0, offset, 0, size);
  if (call->nr == __NR_writev || call->nr == __NR_pwritev)
    put_vector(call, call->args[1], call->args[2], size);
  else put_data(call->tid, call->args[1], (size_t)size);
}

static void put_send(const struct call *call, long size) {
  fprintf(file, "send%c%ld\n", 0, size);
  if (call->nr == __NR_sendmsg) {
    struct msghdr header;
    peek(call->tid, call->args[1], &header, sizeof header);
    put_vector(call, (unsigned long)header.msg_iov, header.msg_iovlen, size);
  } else if (call->nr == __NR_writev) put_vector(call, call->args[1], call->args[2], size);
  else put_data(call->tid, call->args[1], (size_t)size);
}

static void put_open(const struct call *call, long result) {
  int directory;
  unsigned long name;
  long flags;
  opens(call, &directory, &name, &flags);
  int unnamed = (flags & O_TMPFILE) == O_TMPFILE, creates = (flags & O_CREAT) && !call->existed;
  if (unnamed || creates) {
    fprintf(file, "create%c", 0);
    put_id(call->tid, (int)result);
    fprintf(file, "%c%s\n", 0, unnamed ? "" : call->path);
  } else if (flags & O_TRUNC) {
    fprintf(file, "truncate%c", 0);
    put_id(call->tid, (int)result);
    fprintf(file, "%c0\n", 0);
  }
}

static void put_two(const struct call *call, const char *what, const char *from, const char *to) {
  int fd = named_fd(from);
  fprintf(file, "%s%c", what, 0);
  if (fd < 0) fputs(from, file);
  else put_id(call->tid, fd);
  fprintf(file, "%c%s\n", 0, to);
}

void record(const struct call *call, long result) {
  if (!file) return;
  char to[PATH_SIZE] = "";
  const char *what = NULL;
  switch (call->nr) {
    case __NR_write: case __NR_writev: case __NR_sendto: case __NR_sendmsg:
      if (!strncmp(call->path, "socket:", 7)) put_send(call, result);
      else if (call->args[0] == 1 && call->nr == __NR_write) fputs("say\n", file);
      else if (is_below(call->path) && call->nr != __NR_sendto) put_write(call, call->position, result);
      break;
    case __NR_pwrite64: case __NR_pwritev:
      if (is_below(call->path)) put_write(call, (long)call->args[3], result);
      break;
    case __NR_ftruncate:
      if (!is_below(call->path)) break;
      fprintf(file, "truncate%c", 0);
      put_id(call->tid, (int)call->args[0]);
      fprintf(file, "%c%ld\n", 0, (long)call->args[1]);
      break;
    case __NR_fsync: case __NR_fdatasync: {
      if (!is_below(call->path)) break;
      struct stat found;
      if (stat(call->path, &found) == 0 && S_ISDIR(found.st_mode)) {
        fprintf(file, "syncdir%c%s\n", 0, call->path);
        break;
      }
      fprintf(file, "sync%c", 0);
      put_id(call->tid, (int)call->args[0]);
      fputc('\n', file);
      break;
    }
    case __NR_openat:
      if (is_below(call->path)) put_open(call, result);
      break;
    case __NR_mkdirat: what = "mkdir"; break;
    case __NR_unlinkat: what = call->args[2] & AT_REMOVEDIR ? "rmdir" : "unlink"; break;
    case __NR_linkat:
      path_at(call->tid, (int)call->args[2], call->args[3], to);
      if (is_below(to)) put_two(call, "link", call->path, to);
      break;
    case __NR_renameat2:
      path_at(call->tid, (int)call->args[2], call->args[3], to);
      if (is_below(to)) put_two(call, call->args[4] & 2 ? "exchange" : "rename", call->path, to);
      break;
    default:
      if (call->nr == __NR_renameat || call->nr == __NR_rename || call->nr == __NR_link) {
        if (call->nr == __NR_renameat) path_at(call->tid, (int)call->args[2], call->args[3], to);
        else path_at(call->tid, AT_FDCWD, call->args[1], to);
        if (is_below(to)) put_two(call, call->nr == __NR_link ? "link" : "rename", call->path, to);
      } else if (call->nr == __NR_open || call->nr == __NR_creat) {
        if (is_below(call->path)) put_open(call, result);
      } else if (call->nr == __NR_mkdir) what = "mkdir";
      else if (call->nr == __NR_rmdir) what = "rmdir";
      else if (call->nr == __NR_unlink) what = "unlink";
  }
  if (what && is_below(call->path)) fprintf(file, "%s%c%s\n", what, 0, call->path);
}
