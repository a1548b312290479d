#define _GNU_SOURCE
#include "TokenVaultCFiles.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>

static int copy_attribute(int from, int to, const char *name) {
  ssize_t size = fgetxattr(from, name, NULL, 0);
  if (size < 0) return -1;
  char *value = malloc((size_t)size + 1);
  if (value == NULL) return -1;
  size = fgetxattr(from, name, value, (size_t)size);
  const int result = size < 0 ? -1 : fsetxattr(to, name, value, (size_t)size, 0);
  const int saved = errno;
  free(value);
  errno = saved;
  return result;
}

// Removes what a directory gave to a new file, such as its default access control list.
static int remove_others(int from, int to) {
  ssize_t size = flistxattr(to, NULL, 0);
  if (size < 0) return errno == ENOTSUP ? 0 : -1;
  if (size == 0) return 0;
  char *names = malloc((size_t)size);
  if (names == NULL) return -1;
  size = flistxattr(to, names, (size_t)size);
  int result = size < 0 ? -1 : 0;
  for (ssize_t at = 0; result == 0 && at < size; at += (ssize_t)strlen(names + at) + 1) {
    if (strncmp(names + at, "security.", 9) == 0) continue;
    if (fgetxattr(from, names + at, NULL, 0) >= 0) continue;
    result = errno == ENODATA ? fremovexattr(to, names + at) : -1;
  }
  const int saved = errno;
  free(names);
  errno = saved;
  return result;
}

int tv_copy_extended_attributes(int from, int to) {
  if (remove_others(from, to) != 0) return -1;
  ssize_t size = flistxattr(from, NULL, 0);
  if (size < 0) return errno == ENOTSUP ? 0 : -1;
  if (size == 0) return 0;
  char *names = malloc((size_t)size);
  if (names == NULL) return -1;
  size = flistxattr(from, names, (size_t)size);
  int result = size < 0 ? -1 : 0;
  for (ssize_t at = 0; result == 0 && at < size; at += (ssize_t)strlen(names + at) + 1) {
    // The label of a security module is given to the new file by the module itself.
    if (strncmp(names + at, "security.", 9) == 0) continue;
    result = copy_attribute(from, to, names + at);
  }
  const int saved = errno;
  free(names);
  errno = saved;
  return result;
}

int tv_exchange_files(const char *one, const char *other) {
  return renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE);
}
