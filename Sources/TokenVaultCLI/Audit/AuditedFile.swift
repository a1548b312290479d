import Glibc
import TokenVaultModel
import TokenVaultPlaintext
import TokenVaultSystem

/// A file with secrets, and who can get at it.
struct AuditedFile {
  let target: AuditTarget
  /// The path without symbolic links.
  let place: String
  let state: FileState
  let content: PlaintextFile
  let git: GitState?
  let backups: [String]

  enum Reading {
    /// There is no file.
    case absent
    /// The file has no secret.
    case clean
    case found(AuditedFile)
    case unread(String)
  }

  /// Larger files are not read: no tool writes such a one.
  private static let limit = 16 << 20

  /// Reads a file. Nothing that is not a regular file is opened.
  static func read(_ target: AuditTarget, home: String?) -> Reading {
    guard let state = FileState(of: target.path) else {
      return [ENOENT, ENOTDIR].contains(errno) ? .absent : .unread(SystemMessage.text(errno))
    }
    // The tool reads files only, so a directory with the name of one has no secret of it.
    if state.isDirectory { return .absent }
    guard state.isRegular else { return .unread("it is not a regular file") }
    guard state.size <= limit else { return .unread("it is larger than 16 MiB") }
    let opened: (state: FileState, bytes: [UInt8])
    do { opened = try content(of: target.path) } catch {
      return .unread(SystemMessage.text(error.errno))
    }
    guard let resolved = unsafe realpath(target.path, nil) else {
      return .unread(SystemMessage.text(errno))
    }
    defer { unsafe free(resolved) }
    let place = unsafe String(cString: resolved)
    let file = PlaintextFile(opened.bytes, target.format, context: context(of: target))
    guard !file.secrets.isEmpty else {
      return file.fault.map { .unread(text($0)) } ?? .clean
    }
    return .found(
      AuditedFile(
        target: target, place: place, state: opened.state, content: file,
        git: GitState(of: place), backups: BackupTraces(home: home).tools(for: place)))
  }

  /// The reason why a file that is not understood counts as not read.
  static func text(_ fault: PlaintextError) -> String {
    guard case .notUnderstood(let line) = fault else {
      return "it is in a form that is not understood"
    }
    return "it is in a form that is not understood, see its line \(line)"
  }

  private static func content(
    of path: String
  ) throws(SystemCallError) -> (state: FileState, bytes: [UInt8]) {
    // O_NONBLOCK: the name may belong to a pipe by now.
    let descriptor = try SystemCalls.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      throw SystemCallError(errno: errno, call: "fstat")
    }
    let state = FileState(status)
    guard state.isRegular else { throw SystemCallError(errno: EINVAL, call: "open") }
    guard let bytes = try SystemCalls.readAll(descriptor, limit: limit, expected: state.size) else {
      throw SystemCallError(errno: EFBIG, call: "read")
    }
    return (state, bytes)
  }

  /// cargo's configuration has the addresses of its registries.
  private static func context(of target: AuditTarget) -> PlaintextContext {
    var context = PlaintextContext()
    guard target.format == .cargo, let slash = target.path.lastIndex(of: "/") else {
      return context
    }
    let path = target.path[..<slash] + "/config.toml"
    // absent is an answer: without its index, a token is reported and stays where it is.
    do { context.readCargoConfiguration(try content(of: String(path)).bytes) } catch {
      return context
    }
    return context
  }

  /// The mode in octal digits.
  var mode: String {
    let digits = String(state.mode & 0o7777, radix: 8)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  var owner: String {
    guard let entry = unsafe getpwuid(state.user), let name = unsafe entry.pointee.pw_name else {
      return "\(state.user)"
    }
    return unsafe String(cString: name)
  }

  var group: String {
    guard let entry = unsafe getgrgid(state.group), let name = unsafe entry.pointee.gr_name else {
      return "\(state.group)"
    }
    return unsafe String(cString: name)
  }

  /// The users that the modes of the file and of the directories above it let read it.
  var readers: Readers {
    let directories = place.indices.filter { place[$0] == "/" && $0 != place.startIndex }
      .compactMap { FileState(of: String(place[..<$0])) }
    if state.mode & S_IROTH != 0, directories.allSatisfy({ $0.mode & S_IXOTH != 0 }) {
      return .everyone
    }
    return state.mode & S_IRGRP != 0 ? .group : .owner
  }

  enum Readers: String {
    case owner
    case group
    case everyone
  }
}
