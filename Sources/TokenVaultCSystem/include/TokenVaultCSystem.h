#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Functions that Swift cannot import from the C library, because they are variadic or their header is
// missing. Each returns the result of the system call and leaves errno unchanged.

/// argc of main.
int tv_argument_count(void);
/// An argument of main, by its number, which is less than tv_argument_count().
const char *tv_argument(int index);
/// prctl(PR_SET_DUMPABLE, 0), RLIMIT_CORE 0, and default handlers for the signals of a crash, so that
/// it ends the process without a report.
int tv_make_undumpable(void);
/// prctl(PR_SET_DUMPABLE, 0). Child processes and signal handlers are not affected.
int tv_forbid_tracing(void);
/// fcntl(F_OFD_SETLK): `type` is F_RDLCK or F_WRLCK; a length of 0 means to the end of the file.
int tv_ofd_lock(int descriptor, short type, int64_t start, int64_t length);
/// open(2) with a mode.
int tv_open(const char *path, int flags, mode_t mode);
/// O_TMPFILE.
extern const int tv_o_tmpfile;
/// fallocate(FALLOC_FL_KEEP_SIZE): reserves disk space beyond the end of the file.
int tv_reserve(int descriptor, int64_t start, int64_t length);
/// syncfs: writes all changes of a file system to the disk.
int tv_sync_file_system(int descriptor);
/// RLIMIT_FSIZE; -1 for none.
int64_t tv_file_size_limit(void);
/// renameat2(RENAME_NOREPLACE): EEXIST if `to` exists.
int tv_rename_new(const char *from, const char *to);

/// The number of the type of the file system that a path is on, and its device; -1 with errno on failure.
int64_t tv_file_system(const char *path, unsigned *major_number, unsigned *minor_number);

/// accept4(2) with SOCK_CLOEXEC and SOCK_NONBLOCK.
int tv_accept(int socket);
/// SO_PEERCRED: the user at the other end of a Unix socket.
int tv_peer_user(int socket, uid_t *user);
/// The owner of the other end of a TCP connection within this machine, from the kernel's socket table
/// (NETLINK_SOCK_DIAG). ENOENT if that socket is closed or on another machine.
int tv_tcp_peer_user(int socket, uid_t *user);
/// posix_spawn_file_actions_addclosefrom_np(3); `actions` is a posix_spawn_file_actions_t. Returns an
/// error number.
int tv_spawn_close_from(void *actions, int first);
/// POSIX_SPAWN_SETSID.
extern const short tv_spawn_setsid;

/// memfd_create(2), close-on-exec.
int tv_memory_file(const char *name);

/// ioctl(TIOCGWINSZ).
int tv_window_size(int descriptor, uint16_t *rows, uint16_t *columns);

// The kernel keyring (keyctl(2)), on the user keyring.
int32_t tv_key_add(const char *description, const void *payload, size_t count, unsigned timeout_seconds);
/// The key's serial, or -1 with errno ENOKEY.
int32_t tv_key_find(const char *description);
long tv_key_read(int32_t key, void *buffer, size_t count);
long tv_key_remove(int32_t key);
/// The serials of all keys in the keyring; returns their size in bytes, which may exceed `size`.
long tv_key_list(int32_t *serials, size_t size);
/// "TYPE;UID;GID;PERMISSIONS;DESCRIPTION" with a terminating zero; returns its size, which may exceed
/// `size`.
long tv_key_describe(int32_t key, void *text, size_t size);
