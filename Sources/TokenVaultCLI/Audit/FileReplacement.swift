import Glibc
internal import TokenVaultCFiles
import TokenVaultPlaintext
import TokenVaultSystem

/// Replaces the content of a file that another program wrote. Mode, owner, group and extended
/// attributes, an access control list among them, stay. The former file keeps its bytes under another
/// name until the new one has been read back, and comes back if anything fails, unless another program
/// has written the file by then: its file stays.
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
    /// A removal was interrupted, and the file that it wrote is there.
    case leftover(String)
    /// Another program wrote the file, and its former content is under this name.
    case keptBeside(String)

    var text: String {
      switch self {
      case .changed: "the file changed meanwhile"
      case .severalNames: "the file has several names (hard links)"
      case .otherOwner: "the file belongs to another user"
      case .failed(let error):
        "it cannot be written: \(SystemMessage.text(error.errno)) (\(error.call))"
      case .leftover(let path):
        "an interrupted removal, or one that runs, left \(PlainText.escaped(path)); delete it if no "
          + "removal runs"
      case .keptBeside(let path):
        "the file changed meanwhile, and its former content is in \(PlainText.escaped(path))"
      }
    }
  }

  func write(_ bytes: [UInt8]) throws(Obstacle) {
    guard state.user == geteuid() else { throw .otherOwner }
    guard state.names == 1 else { throw .severalNames }
    // Its ending is that of a copy that an audit looks for.
    let draft = path + PlaintextFormat.draftEnding
    let own = try prepare(bytes, at: draft)
    guard FileState(of: path) == state else {
      unsafe unlink(draft)
      throw .changed
    }
    // A signal ends the program when the former file is gone, or is back.
    let signals = HeldSignals()
    defer { signals.release() }
    do { try exchange(with: draft) } catch {
      unsafe unlink(draft)
      throw error
    }
    // Until here the former file exists under the name of the draft.
    do { try confirm(bytes, draft) } catch {
      throw restore(from: draft, own) ?? error
    }
    unsafe unlink(draft)
    bestEffort("the file is complete, and a crash would bring the former one back") {
      try SystemCalls.syncDirectory(SystemCalls.directory(of: path))
    }
  }

  /// Writes the new file. Only a file that was made here is taken away again.
  /// - Returns: Its state.
  private func prepare(_ bytes: [UInt8], at draft: String) throws(Obstacle) -> FileState {
    let descriptor: Int32
    do {
      descriptor = try SystemCalls.open(
        draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    } catch {
      throw error.errno == EEXIST ? .leftover(draft) : .failed(error)
    }
    defer { close(descriptor) }
    do { return try fill(descriptor, bytes) } catch {
      unsafe unlink(draft)
      throw .failed(error)
    }
  }

  /// Nobody else can open the new file before it has the group and the list of the former one.
  private func fill(
    _ descriptor: Int32, _ bytes: [UInt8]
  ) throws(SystemCallError) -> FileState {
    let former = try SystemCalls.open(path, O_RDONLY | O_NONBLOCK)
    defer { close(former) }
    // A directory may give its group.
    if try current(descriptor).group != state.group,
      fchown(descriptor, uid_t.max, state.group) != 0
    {
      throw SystemCallError(errno: errno, call: "fchown")
    }
    guard tv_copy_extended_attributes(former, descriptor) == 0 else {
      throw SystemCallError(errno: errno, call: "fsetxattr")
    }
    try SystemCalls.writeAll(bytes, to: descriptor)
    guard fchmod(descriptor, state.mode & 0o7777) == 0 else {
      throw SystemCallError(errno: errno, call: "fchmod")
    }
    try SystemCalls.sync(descriptor)
    let own = try current(descriptor)
    guard own.mode == state.mode, own.user == state.user, own.group == state.group else {
      throw SystemCallError(errno: EPERM, call: "fchmod")
    }
    return own
  }

  private func current(_ descriptor: Int32) throws(SystemCallError) -> FileState {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      throw SystemCallError(errno: errno, call: "fstat")
    }
    return FileState(status)
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

  /// Brings the former file back, unless another program has written the file. Nothing is deleted
  /// except the former file, once another program has replaced it, and our own.
  /// - Returns: The file that stays under the name of the draft, to be reported; nil if none does.
  func restore(from draft: String, _ own: FileState) -> Obstacle? {
    if FileState(of: path) == own, unsafe tv_exchange_files(draft, path) == 0 {
      if FileState(of: draft) == own {
        unsafe unlink(draft)
        return nil
      }
      // Another program replaced the file between the look and the exchange: it gets its name again.
      guard unsafe tv_exchange_files(draft, path) == 0 else { return .keptBeside(draft) }
    }
    // With the file of the other program in place, the former one is as obsolete as if that program had
    // replaced it.
    guard let now = FileState(of: path), now != own, FileState(of: draft) == state else {
      return .keptBeside(draft)
    }
    unsafe unlink(draft)
    return nil
  }
}
