#define _GNU_SOURCE
#include "TokenVaultCVFS.h"

#include <errno.h>
#include <pthread.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static sqlite3_vfs *unix_vfs;
static sqlite3_vfs own_vfs;

// The Unix VFS has a table of methods for each way of locking. SQLite sees a copy of it.
typedef struct {
  sqlite3_io_methods methods;
  const sqlite3_io_methods *original;
} method_table;

static const sqlite3_io_methods *original(sqlite3_file *file) {
  return ((const method_table *)file->pMethods)->original;
}

// A sync of a file that has grown also writes its size and its new blocks, which takes longer than a
// sync of its content. So the log grows in steps that are longer than a commit: by its length, up to
// this one.
enum { LONGEST_STEP = 1 << 16, SHORTEST_STEP = 1 << 14 };

// Kept behind SQLite's part of each open file. All zero unless the file is a log.
typedef struct {
  bool is_log;
  // The file has at least this length, unless another process has shortened it.
  sqlite3_int64 end;
  // By how much the next write behind the end lengthens the file.
  int step;
} growth;

static growth *growth_of(sqlite3_file *file) {
  return (growth *)((char *)file + unix_vfs->szOsFile);
}

static int sync_file(sqlite3_file *file, int flags) {
  while (true) {
    int code = original(file)->xSync(file, flags);
    if (code == SQLITE_OK) {
      // The first commit of a connection is often its last one, so it does not lengthen the log.
      growth *log = growth_of(file);
      log->step = log->end < SHORTEST_STEP  ? 0
                  : log->end > LONGEST_STEP ? LONGEST_STEP
                                            : (int)log->end;
    }
    if (code != SQLITE_IOERR_FSYNC) return code;
    int failure = 0;
    original(file)->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &failure);
    if (failure != EINTR) return code;
  }
}

// Writes zeros behind the end of the log, at most once after each sync. SQLite takes them for the end of the
// log. If they cannot be written, nothing is lost, and the log grows with each commit.
static void lengthen(sqlite3_file *file, growth *log) {
  static const char zeros[LONGEST_STEP];
  int step = log->step;
  log->step = 0;
  sqlite3_int64 size = 0;
  // Nothing but the end of the file is overwritten.
  if (original(file)->xFileSize(file, &size) != SQLITE_OK || size != log->end) return;
  // A write beyond the limit would end the process.
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur < (rlim_t)(size + step)) return;
  if (original(file)->xWrite(file, zeros, step, size) == SQLITE_OK) log->end += step;
}

static int write_file(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  int code = original(file)->xWrite(file, bytes, count, offset);
  growth *log = growth_of(file);
  if (code != SQLITE_OK || !log->is_log || offset + count <= log->end) return code;
  log->end = offset + count;
  if (log->step > 0) lengthen(file, log);
  return code;
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 size) {
  growth *log = growth_of(file);
  log->end = 0;
  log->step = 0;
  return original(file)->xTruncate(file, size);
}

static int read_file(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  int code = original(file)->xRead(file, bytes, count, offset);
  return code == SQLITE_IOERR_CORRUPTFS ? SQLITE_IOERR_READ : code;
}

typedef int (*truncate_call)(int, off_t);
static truncate_call next_truncate;
static _Thread_local bool maps_index;

// The one region that the index of a log of up to 4,062 pages has, in whole pages.
enum { PAGE = 1 << 12, REGION = 1 << 15, PAGES = REGION / PAGE };

// Replaces ftruncate(2) in SQLite. The first process that opens a group makes the index of its log anew:
// it shortens the file, and then gives it back its length page by page. The disk has to free and find the
// same blocks each time, so zeros are written over them instead.
static int truncate_expected(int descriptor, off_t size) {
  static const char zeros[PAGE];
  enum { EMPTY_INDEX = 3 };
  struct stat status;
  if (maps_index && size == EMPTY_INDEX && fstat(descriptor, &status) == 0 && status.st_size == REGION) {
    struct iovec pages[PAGES];
    for (int i = 0; i < PAGES; i++) pages[i] = (struct iovec){(void *)zeros, PAGE};
    if (pwritev(descriptor, pages, PAGES, 0) == REGION) return 0;
  }
  return next_truncate(descriptor, size);
}

static int map_index(sqlite3_file *file, int region, int size, int extends, void volatile **out) {
  maps_index = true;
  int code = original(file)->xShmMap(file, region, size, extends, out);
  maps_index = false;
  return code;
}

// Puts the copy of its method table into an open file.
static int replace_methods(sqlite3_file *file) {
  static method_table tables[8];
  static size_t count;
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  size_t i = 0;
  while (i < count && tables[i].original != file->pMethods) i++;
  bool is_room = i < sizeof tables / sizeof *tables;
  if (i == count && is_room) {
    tables[i].original = file->pMethods;
    tables[i].methods = *file->pMethods;
    tables[i].methods.xSync = sync_file;
    tables[i].methods.xRead = read_file;
    tables[i].methods.xWrite = write_file;
    tables[i].methods.xTruncate = truncate_file;
    if (file->pMethods->iVersion >= 2 && file->pMethods->xShmMap) {
      tables[i].methods.xShmMap = map_index;
    }
    count++;
  }
  if (is_room) file->pMethods = &tables[i].methods;
  pthread_mutex_unlock(&mutex);
  return is_room ? SQLITE_OK : SQLITE_INTERNAL;
}

typedef int (*open_call)(const char *, int, int);
static open_call next_open;

// The expectation of a thread, and the path that SQLite opens while it is in force.
static _Thread_local bool expects, found_other;
static _Thread_local uint64_t expected_device, expected_inode;
static _Thread_local const char *expected_path;

// Replaces open(2) in SQLite, and looks at the file that was opened: its name may have come to mean
// another file after it was checked.
static int open_expected(const char *path, int flags, int mode) {
  int descriptor = next_open(path, flags, mode);
  if (descriptor < 0 || !expected_path || strcmp(path, expected_path) != 0) return descriptor;
  struct stat status;
  if (fstat(descriptor, &status) == 0 && status.st_dev == expected_device &&
      status.st_ino == expected_inode && S_ISREG(status.st_mode) &&
      (status.st_mode & 077) == 0 && status.st_uid == geteuid() && status.st_nlink > 0) {
    return descriptor;
  }
  close(descriptor);
  found_other = true;
  errno = ESTALE;
  return -1;
}

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out) {
  (void)vfs;
  if (expects && flags & SQLITE_OPEN_MAIN_DB) expected_path = name;
  int code = unix_vfs->xOpen(unix_vfs, name, file, flags, out);
  expected_path = NULL;
  *growth_of(file) = (growth){.is_log = flags & SQLITE_OPEN_WAL};
  // SQLite closes the file if this fails.
  return code == SQLITE_OK ? replace_methods(file) : code;
}

static int result;

static void register_vfs(void) {
  unix_vfs = sqlite3_vfs_find("unix");
  result = SQLITE_ERROR;
  if (!unix_vfs || unix_vfs->iVersion < 3) return;
  next_open = (open_call)unix_vfs->xGetSystemCall(unix_vfs, "open");
  next_truncate = (truncate_call)unix_vfs->xGetSystemCall(unix_vfs, "ftruncate");
  if (!next_open || !next_truncate) return;
  result = unix_vfs->xSetSystemCall(unix_vfs, "open", (sqlite3_syscall_ptr)open_expected);
  if (result != SQLITE_OK) return;
  result = unix_vfs->xSetSystemCall(unix_vfs, "ftruncate", (sqlite3_syscall_ptr)truncate_expected);
  if (result != SQLITE_OK) return;
  own_vfs = *unix_vfs;
  own_vfs.zName = TV_VFS_NAME;
  own_vfs.pNext = NULL;
  own_vfs.szOsFile += (int)sizeof(growth);
  own_vfs.xOpen = open_file;
  result = sqlite3_vfs_register(&own_vfs, 0);
}

int tv_vfs_register(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  // Before any VFS can be found. A program may have configured SQLite, and registers its own first.
  int code = sqlite3_initialize();
  if (code != SQLITE_OK) return code;
  pthread_once(&once, register_vfs);
  return result;
}

void tv_vfs_expect(uint64_t device, uint64_t inode) {
  expects = true;
  found_other = false;
  expected_device = device;
  expected_inode = inode;
}

bool tv_vfs_found_other(void) {
  bool found = found_other;
  expects = found_other = false;
  return found;
}
