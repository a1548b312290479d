#define _GNU_SOURCE
#include "TokenVaultCSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/keyctl.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static int argument_count;
static char **arguments;

// The C library calls this before main, with the arguments of main.
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
  argument_count = count;
  arguments = values;
}

int tv_argument_count(void) { return argument_count; }

const char *tv_argument(int index) { return arguments[index]; }

int tv_forbid_tracing(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

int tv_make_undumpable(void) {
  struct rlimit none = {0, 0};
  if (setrlimit(RLIMIT_CORE, &none) != 0) return -1;
  // The Swift runtime's crash report prints the memory that registers point to.
  static const int crashes[] = {SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV};
  for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) {
    if (signal(crashes[i], SIG_DFL) == SIG_ERR) return -1;
  }
  return tv_forbid_tracing();
}

int tv_ofd_lock(int descriptor, short type, int64_t start, int64_t length) {
  struct flock lock;
  memset(&lock, 0, sizeof lock);
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = start;
  lock.l_len = length;
  return fcntl(descriptor, F_OFD_SETLK, &lock);
}

int tv_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }

const int tv_o_tmpfile = O_TMPFILE;

int tv_reserve(int descriptor, int64_t start, int64_t length) {
  return fallocate(descriptor, FALLOC_FL_KEEP_SIZE, start, length);
}

int tv_sync_file_system(int descriptor) { return syncfs(descriptor); }

int64_t tv_file_size_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur > INT64_MAX) return -1;
  return (int64_t)limit.rlim_cur;
}

int tv_rename_new(const char *from, const char *to) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}

int tv_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

int tv_window_size(int descriptor, uint16_t *rows, uint16_t *columns) {
  struct winsize size;
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) return -1;
  *rows = size.ws_row;
  *columns = size.ws_col;
  return 0;
}

// The user keyring outlives a login session and is linked to none by default. Only its possessor can
// read a key, so rights for the same user are set explicitly.
enum { USER_ALL = 0x3f3f0000 };

int32_t tv_key_add(const char *description, const void *payload, size_t count, unsigned timeout_seconds) {
  long key = syscall(SYS_add_key, "user", description, payload, count, KEY_SPEC_USER_KEYRING);
  if (key < 0) return -1;
  if (syscall(SYS_keyctl, KEYCTL_SETPERM, key, USER_ALL) < 0 ||
      syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, key, timeout_seconds) < 0) {
    syscall(SYS_keyctl, KEYCTL_UNLINK, key, KEY_SPEC_USER_KEYRING);
    return -1;
  }
  return (int32_t)key;
}

int32_t tv_key_find(const char *description) {
  return (int32_t)syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_USER_KEYRING, "user", description, 0);
}

long tv_key_read(int32_t key, void *buffer, size_t count) {
  return syscall(SYS_keyctl, KEYCTL_READ, key, buffer, count);
}

long tv_key_remove(int32_t key) {
  return syscall(SYS_keyctl, KEYCTL_UNLINK, key, KEY_SPEC_USER_KEYRING);
}

long tv_key_list(int32_t *serials, size_t size) {
  return syscall(SYS_keyctl, KEYCTL_READ, KEY_SPEC_USER_KEYRING, serials, size);
}

long tv_key_describe(int32_t key, void *text, size_t size) {
  return syscall(SYS_keyctl, KEYCTL_DESCRIBE, key, text, size);
}

int tv_accept(int socket) { return accept4(socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

int tv_peer_user(int socket, uid_t *user) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  int result = getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size);
  if (result == 0) *user = peer.uid;
  return result;
}

// The peer's socket has the connection's addresses the other way round: its source is the name that
// getpeername reports here.
static int put_addresses(int socket, struct inet_diag_req_v2 *request) {
  struct sockaddr_storage ends[2];
  __be32 *const addresses[] = {request->id.idiag_src, request->id.idiag_dst};
  __be16 *const ports[] = {&request->id.idiag_sport, &request->id.idiag_dport};
  for (int i = 0; i < 2; i++) {
    socklen_t size = sizeof ends[i];
    struct sockaddr *end = (struct sockaddr *)&ends[i];
    if ((i == 0 ? getpeername : getsockname)(socket, end, &size) != 0) return -1;
    if (end->sa_family == AF_INET) {
      const struct sockaddr_in *v4 = (const struct sockaddr_in *)end;
      memcpy(addresses[i], &v4->sin_addr, sizeof v4->sin_addr);
      *ports[i] = v4->sin_port;
    } else if (end->sa_family == AF_INET6) {
      const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)end;
      memcpy(addresses[i], &v6->sin6_addr, sizeof v6->sin6_addr);
      *ports[i] = v6->sin6_port;
    } else {
      errno = EAFNOSUPPORT;
      return -1;
    }
    request->sdiag_family = (__u8)end->sa_family;
  }
  return 0;
}

int tv_tcp_peer_user(int socket_, uid_t *user) {
  struct {
    struct nlmsghdr head;
    struct inet_diag_req_v2 body;
  } request;
  memset(&request, 0, sizeof request);
  request.head.nlmsg_len = sizeof request;
  request.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.head.nlmsg_flags = NLM_F_REQUEST;
  request.body.sdiag_protocol = IPPROTO_TCP;
  request.body.idiag_states = ~0u;
  request.body.id.idiag_cookie[0] = request.body.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  if (put_addresses(socket_, &request.body) != 0) return -1;
  int link = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (link < 0) return -1;
  // The kernel answers while it handles the request, so the answer is there when send returns.
  struct {
    struct nlmsghdr head;
    union {
      struct inet_diag_msg found;
      struct nlmsgerr error;
    };
    char more[4096];
  } answer;
  ssize_t count = -1;
  if (send(link, &request, sizeof request, 0) == (ssize_t)sizeof request) {
    count = recv(link, &answer, sizeof answer, MSG_DONTWAIT);
  }
  int failure = errno;
  close(link);
  errno = failure;
  if (count < 0) return -1;
  errno = EPROTO;
  if (count < (ssize_t)(sizeof answer.head + sizeof answer.error.error)) return -1;
  if (answer.head.nlmsg_type == NLMSG_ERROR) {
    errno = -answer.error.error;
    return -1;
  }
  if (answer.head.nlmsg_type != SOCK_DIAG_BY_FAMILY ||
      count < (ssize_t)(sizeof answer.head + sizeof answer.found)) {
    return -1;
  }
  // A closed socket has no inode, and its user is reported as root. If there is no connection, the
  // kernel reports a listening socket at the same port.
  const int listening = 10;  // TCP_LISTEN
  errno = ENOENT;
  if (answer.found.idiag_inode == 0 || answer.found.idiag_state == listening ||
      answer.found.id.idiag_sport != request.body.id.idiag_sport ||
      answer.found.id.idiag_dport != request.body.id.idiag_dport) {
    return -1;
  }
  *user = answer.found.idiag_uid;
  return 0;
}

int64_t tv_file_system(const char *path, unsigned *major_number, unsigned *minor_number) {
  struct statfs system;
  struct stat file;
  if (statfs(path, &system) != 0 || stat(path, &file) != 0) return -1;
  *major_number = major(file.st_dev);
  *minor_number = minor(file.st_dev);
  // Some numbers are negative as a word of 32 bits.
  return (int64_t)(uint32_t)system.f_type;
}

int tv_spawn_close_from(void *actions, int first) {
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

const short tv_spawn_setsid = POSIX_SPAWN_SETSID;
