#include "TokenVaultCFront.h"

#if defined(__x86_64__)

#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>

#include "Early.h"

// Hello, ReadAlias of the default collection, and NameHasOwner of KeePassXC, with the serials 1 to 3, as
// SecretServiceReader.begin sends them; a test compares them. Each line
// is 8 bytes, except the last one of ReadAlias (4) and of NameHasOwner (7).
#define FIRST_CALLS          \
  "l\1\0\1\0\0\0\0"          \
  "\1\0\0\0m\0\0\0"          \
  "\1\1o\0\25\0\0\0"         \
  "/org/fre"                 \
  "edesktop"                 \
  "/DBus\0\0\0"              \
  "\2\1s\0\24\0\0\0"         \
  "org.free"                 \
  "desktop."                 \
  "DBus\0\0\0\0"             \
  "\3\1s\0\5\0\0\0"          \
  "Hello\0\0\0"              \
  "\6\1s\0\24\0\0\0"         \
  "org.free"                 \
  "desktop."                 \
  "DBus\0\0\0\0"             \
  "l\1\2\1\14\0\0\0"         \
  "\2\0\0\0\217\0\0\0"       \
  "\1\1o\0\30\0\0\0"         \
  "/org/fre"                 \
  "edesktop"                 \
  "/secrets"                 \
  "\0\0\0\0\0\0\0\0"         \
  "\2\1s\0\36\0\0\0"         \
  "org.free"                 \
  "desktop."                 \
  "Secret.S"                 \
  "ervice\0\0"               \
  "\3\1s\0\11\0\0\0"         \
  "ReadAlia"                 \
  "s\0\0\0\0\0\0\0"          \
  "\6\1s\0\27\0\0\0"         \
  "org.free"                 \
  "desktop."                 \
  "secrets\0"                \
  "\10\1g\0\1s\0\0"          \
  "\7\0\0\0defa"             \
  "ult\0"                    \
  "l\1\0\1\47\0\0\0"         \
  "\3\0\0\0\177\0\0\0"       \
  "\1\1o\0\25\0\0\0"         \
  "/org/fre"                 \
  "edesktop"                 \
  "/DBus\0\0\0"              \
  "\2\1s\0\24\0\0\0"         \
  "org.free"                 \
  "desktop."                 \
  "DBus\0\0\0\0"             \
  "\3\1s\0\14\0\0\0"         \
  "NameHasO"                 \
  "wner\0\0\0\0"             \
  "\6\1s\0\24\0\0\0"         \
  "org.free"                 \
  "desktop."                 \
  "DBus\0\0\0\0"             \
  "\10\1g\0\1s\0\0"          \
  "\42\0\0\0org."            \
  "keepassx"                 \
  "c.KeePas"                 \
  "sXC.Main"                 \
  "Window\0"

static const char calls[] = FIRST_CALLS;
static const char greeting[] = "\0AUTH EXTERNAL ";
static const char beginning[] = "\r\nBEGIN\r\n";

static int bus = -1;
static const char *path;
static unsigned long path_length;

int tv_bus_socket(void) { return bus; }
const char *tv_bus_path(unsigned long *length) {
  *length = path_length;
  return path;
}

EARLY static unsigned long append(char *buffer, unsigned long at, const char *text,
                                  unsigned long length) {
  for (unsigned long i = 0; i < length; i++) buffer[at++] = text[i];
  return at;
}

// The text without the zero byte at its end.
#define APPEND(buffer, at, text) append(buffer, at, text, sizeof(text) - 1)

EARLY unsigned long tv_first_message(char buffer[TV_FIRST_MESSAGE]) {
  char digits[10];
  unsigned long count = 0;
  unsigned long user = (unsigned long)system_call(SYS_geteuid, 0, 0, 0);
  do digits[count++] = (char)('0' + user % 10);
  while ((user /= 10) != 0);
  unsigned long size = APPEND(buffer, 0, greeting);
  // Each digit of the user's number as the two hexadecimal digits of its ASCII code.
  while (count > 0) {
    buffer[size++] = '3';
    buffer[size++] = digits[--count];
  }
  size = APPEND(buffer, size, beginning);
  return APPEND(buffer, size, calls);
}

// The part of an environment variable that is the path of a socket, if its address has the simplest form:
// "unix:path=" and a path in which nothing is escaped, perhaps followed by a comma and more.
EARLY static unsigned long find_path(const char *variable) {
  static const char name[] = "DBUS_SESSION_BUS_ADDRESS=unix:path=";
  unsigned long i = 0;
  for (; i < sizeof name - 1; i++) {
    if (variable[i] != name[i]) return 0;
  }
  path = variable + i;
  unsigned long length = 0;
  for (; path[length] != 0 && path[length] != ','; length++) {
    if (path[length] == '%' || path[length] == ';') return 0;
  }
  return length;
}

EARLY void tv_call_bus(char **environment) {
  for (; *environment != 0 && path_length == 0; environment++) {
    path_length = find_path(*environment);
  }
  struct sockaddr_un peer;
  if (path_length == 0 || path_length >= sizeof peer.sun_path) return;
  peer.sun_family = AF_UNIX;
  append(peer.sun_path, 0, path, path_length);
  // A bus that accepts no connection now is left to the runtime, which waits.
  long opened = system_call(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  // A closed standard stream stays closed: what is printed must not go to the bus.
  if (opened < 3) {
    if (opened >= 0) system_call(SYS_close, opened, 0, 0);
    return;
  }
  char text[TV_FIRST_MESSAGE];
  struct iovec part;
  part.iov_base = text;
  part.iov_len = tv_first_message(text);
  struct msghdr message;
  message.msg_name = 0;
  message.msg_namelen = 0;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = 0;
  message.msg_controllen = 0;
  message.msg_flags = 0;
  long address = (long)(sizeof peer.sun_family + path_length);
  if (system_call(SYS_connect, opened, (long)&peer, address) == 0 &&
      system_call(SYS_sendmsg, opened, (long)&message, MSG_NOSIGNAL) == (long)part.iov_len) {
    bus = (int)opened;
  } else {
    system_call(SYS_close, opened, 0, 0);
  }
}

#else

int tv_bus_socket(void) { return -1; }
const char *tv_bus_path(unsigned long *length) {
  *length = 0;
  return 0;
}
unsigned long tv_first_message(char buffer[TV_FIRST_MESSAGE]) {
  (void)buffer;
  return 0;
}

#endif
