import Glibc
import SystemCalls

/// Files that people ask for.
enum OutputFile {
  /// Writes a new file with mode 0600; with `replacing`, in the place of an old one. What could not
  /// be written whole is not left behind.
  static func write(_ bytes: [UInt8], to path: String, replacing: Bool) throws(CommandError) {
    // Built beside the old file, which is kept until the new one is whole.
    let draft = replacing ? "\(path).\(getpid()).new" : path
    let descriptor: Int32
    do {
      descriptor = try SystemCalls.open(
        draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    } catch {
      throw error.errno == EEXIST
        ? .fileExists(path: path) : .fileNotMade(path: path, errno: error.errno)
    }
    var failure: Int32 = 0
    var written = 0
    while written < bytes.count, failure == 0 {
      let count = unsafe bytes[written...].withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count >= 0 { written += count } else if errno != EINTR { failure = errno }
    }
    if failure == 0, fsync(descriptor) != 0 { failure = errno }
    close(descriptor)
    if failure == 0, replacing, unsafe rename(draft, path) != 0 { failure = errno }
    guard failure != 0 else { return }
    unsafe unlink(draft)
    throw .fileNotWritten(path: path, errno: failure)
  }
}
