import Glibc
internal import TokenVaultCFiles
import TokenVaultSystem

/// Replaces the content of a file that another program wrote. Mode, owner and extended attributes
/// stay. The former file keeps its bytes under another name until the new one has been read back, and
/// comes back if anything fails.
struct FileReplacement {
  /// Absolute, without symbolic links.
  let path: String
  /// The state in which the file was read.
  let state: FileState

  enum Obstacle: Error {
    case changed
    /// The file has several names, which would be parted.
    case severalNames
    case otherOwner
    case failed(SystemCallError)

    var text: String {
      switch self {
      case .changed: "the file changed meanwhile"
      case .severalNames: "the file has several names (hard links)"
      case .otherOwner: "the file belongs to another user"
      case .failed(let error):
        "it cannot be written: \(SystemMessage.text(error.errno)) (\(error.call))"
      }
    }
  }

  func write(_ bytes: [UInt8]) throws(Obstacle) {
    guard state.user == geteuid() else { throw .otherOwner }
    guard state.names == 1 else { throw .severalNames }
    let draft = "\(path).\(getpid()).new"
    do { try prepare(bytes, at: draft) } catch {
      unsafe unlink(draft)
      throw .failed(error)
    }
    guard FileState(of: path) == state else {
      unsafe unlink(draft)
      throw .changed
    }
    do { try exchange(with: draft) } catch {
      unsafe unlink(draft)
      throw error
    }
    // Until here the former file exists under the name of the draft.
    do { try confirm(bytes, draft) } catch {
      restore(from: draft)
      throw error
    }
    unsafe unlink(draft)
    bestEffort("the file is complete, and a crash would bring the former one back") {
      let descriptor = try SystemCalls.open(directory, O_RDONLY | O_DIRECTORY)
      fsync(descriptor)
      close(descriptor)
    }
  }

  private var directory: String {
    String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) + "/"
  }

  private func prepare(_ bytes: [UInt8], at draft: String) throws(SystemCallError) {
    let former = try SystemCalls.open(path, O_RDONLY | O_NONBLOCK)
    defer { close(former) }
    let descriptor = try SystemCalls.open(
      draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    defer { close(descriptor) }
    try SystemCalls.writeAll(bytes, to: descriptor)
    if state.group != getegid(), fchown(descriptor, state.user, state.group) != 0 {
      throw SystemCallError(errno: errno, call: "fchown")
    }
    guard fchmod(descriptor, state.mode & 0o7777) == 0 else {
      throw SystemCallError(errno: errno, call: "fchmod")
    }
    guard tv_copy_extended_attributes(former, descriptor) == 0 else {
      throw SystemCallError(errno: errno, call: "fsetxattr")
    }
    guard fsync(descriptor) == 0 else { throw SystemCallError(errno: errno, call: "fsync") }
  }

  private func exchange(with draft: String) throws(Obstacle) {
    guard unsafe tv_exchange_files(draft, path) != 0 else { return }
    throw .failed(SystemCallError(errno: errno, call: "renameat2"))
  }

  private func confirm(_ bytes: [UInt8], _ draft: String) throws(Obstacle) {
    // A program may have written between the last look and the exchange.
    guard FileState(of: draft) == state else { throw .changed }
    do {
      guard try InputFile.read(path, limit: bytes.count + 1) == bytes else {
        throw Obstacle.changed
      }
    } catch { throw .changed }
  }

  private func restore(from draft: String) {
    if unsafe tv_exchange_files(draft, path) == 0 { unsafe unlink(draft) }
  }
}
