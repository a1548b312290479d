import Glibc
import TokenVaultSystem

/// The directory in which the waiting process and the one that the desktop starts find each other:
/// `tokenvault` in the runtime directory, readable by this user only.
struct MeetingPlace: ~Copyable {
  private let directory: Int32
  private let scheme: String

  init(
    _ runtimeDirectory: String, scheme: String, creating: Bool
  ) throws(SystemCallError) {
    let path = runtimeDirectory + "/tokenvault"
    if creating, unsafe mkdir(path, 0o700) != 0, errno != EEXIST {
      throw SystemCallError(errno: errno, call: "mkdir")
    }
    let directory = try SystemCalls.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    var status = stat()
    guard unsafe fstat(directory, &status) == 0, status.st_uid == geteuid(),
      status.st_mode & 0o077 == 0
    else {
      Glibc.close(directory)
      throw SystemCallError(errno: EACCES, call: "fstat")
    }
    self.directory = directory
    self.scheme = scheme
  }

  deinit { Glibc.close(directory) }

  /// The path goes through the descriptor, so that it names the directory that was checked, and so
  /// that the directory's length does not matter: a socket's path has at most 107 bytes.
  var socket: String { "/proc/self/fd/\(directory)/redirect-\(scheme).sock" }
  var lock: String { "/proc/self/fd/\(directory)/redirect-\(scheme).lock" }
}
