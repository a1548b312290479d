import Glibc
import TokenVaultModel
import TokenVaultSystem

/// One change that `credential install` makes to the configuration of another program.
///
/// It can be described before it is made, and undone exactly: ``undo(in:)`` removes what ``apply(in:)``
/// added and puts back what it replaced.
struct ConfigurationChange: Hashable {
  /// The place and the value.
  enum Kind: Hashable {
    /// A symbolic link.
    case link(path: String, target: String)
    /// A value that is added to git's global configuration.
    case git(key: String, value: String)
    /// A member of a JSON file.
    case json(file: String, path: [String], value: String)
    /// Lines at the end of a text file, in which no line may begin with `unique`: a second one would
    /// make the file invalid, or would not count.
    case lines(file: String, text: String, unique: String)
  }

  let kind: Kind
  /// The value that a JSON member had; nil for none. For lines, what was put between them and the rest.
  var former: String?
  /// Whether the file did not exist.
  var madeFile = false
  /// Whether the object that contains a JSON member did not exist.
  var madeParent = false

  init(_ kind: Kind) { self.kind = kind }

  /// The path of a link; nil for any other change.
  var linkPath: String? {
    if case .link(let path, _) = kind { path } else { nil }
  }

  /// The change in one line.
  var text: String {
    switch kind {
    case .link(let path, let target):
      return "link  \(PlainText.escaped(path)) -> \(PlainText.escaped(target))"
    case .git(let key, let value):
      return "git   \(key) = \(PlainText.escaped(value))"
    case .json(let file, let path, let value):
      let was = former.map { ", in the place of \"\(PlainText.escaped($0))\"" } ?? ""
      return "file  \(PlainText.escaped(file)): \(path.joined(separator: ".")) = "
        + "\"\(PlainText.escaped(value))\"\(was)"
    case .lines(let file, let text, _):
      let lines = text.split(separator: "\n").map { "\n        \(PlainText.escaped(String($0)))" }
      return "file  \(PlainText.escaped(file)), at its end:" + lines.joined()
    }
  }

  /// Whether the change is in force.
  func isInForce(in invocation: Invocation) throws -> Bool {
    switch kind {
    case .link(let path, let target): return try Self.linkTarget(path) == target
    case .git(let key, let value):
      return try Self.git(["--get-all", key], invocation).output
        .split(separator: UInt8(ascii: "\n"))
        .contains { $0.elementsEqual(value.utf8) }
    case .json(let file, let path, let value):
      return try Self.edit(file)?.value(at: path)?.text == value
    case .lines(let file, let text, _): return try Self.content(file)?.contains(text) ?? false
    }
  }

  /// Makes the change; one that is in force stays as it is.
  /// - Returns: The change with what it replaced.
  func apply(in invocation: Invocation) throws -> ConfigurationChange {
    var change = self
    guard try !isInForce(in: invocation) else { return change }
    switch kind {
    case .link(let path, let target):
      guard try Self.linkTarget(path) == nil, !InputFile.exists(path) else {
        throw CommandError.fileExists(path: path)
      }
      try Self.makeDirectories(above: path)
      guard unsafe symlink(target, path) == 0 else {
        throw CommandError.fileNotMade(path: path, errno: errno)
      }
    case .git(let key, let value):
      change.madeFile = !Self.hasGitConfiguration(invocation)
      try Self.requireGit(["--add", key, value], invocation)
    case .json(let file, let path, let value):
      var edit = try Self.edit(file)
      change.madeFile = edit == nil
      if edit == nil { edit = try JSONEdit(Array("{\n}\n".utf8)) }
      guard var edit else { return change }
      change.former = edit.value(at: path)?.text
      change.madeParent = path.count > 1 && edit.value(at: path.dropLast()) == nil
      guard edit.value(at: path) == nil || change.former != nil, edit.set(.string(value), at: path)
      else { throw Failure.foreignConfiguration(file, path) }
      try Self.makeDirectories(above: file)
      try Self.write(edit.bytes, to: file)
    case .lines(let file, let text, let unique):
      let content = try Self.content(file)
      change.madeFile = content == nil
      let isTaken = (content ?? "").split(separator: "\n")
        .contains { $0.drop { " \t".contains($0) }.hasPrefix(unique) }
      guard !isTaken else { throw Failure.takenConfiguration(file, text) }
      change.former = content.map { $0.isEmpty || $0.hasSuffix("\n") ? "" : "\n" }
      try Self.makeDirectories(above: file)
      try Self.write(Array(((content ?? "") + (change.former ?? "") + text).utf8), to: file)
    }
    return change
  }

  /// Takes the change back if it is still in force.
  /// - Returns: Whether it was.
  @discardableResult
  func undo(in invocation: Invocation) throws -> Bool {
    guard try isInForce(in: invocation) else { return false }
    switch kind {
    case .link(let path, _):
      guard unsafe unlink(path) == 0 else {
        throw CommandError.fileNotWritten(path: path, errno: errno)
      }
    case .git(let key, let value):
      try Self.requireGit(["--fixed-value", "--unset-all", key, value], invocation)
      if madeFile { try Self.removeEmptyGitConfiguration(invocation) }
    case .json(let file, let path, _):
      guard var edit = try Self.edit(file) else { return false }
      if let former { edit.set(.string(former), at: path) } else { edit.remove(at: path) }
      if madeParent, edit.value(at: path.dropLast()) == .object([]) {
        edit.remove(at: path.dropLast())
      }
      if madeFile, edit.bytes.elementsEqual("{\n}\n".utf8) {
        unsafe unlink(file)
      } else {
        try Self.write(edit.bytes, to: file)
      }
    case .lines(let file, let text, _):
      guard let content = try Self.content(file) else { return false }
      let added = (former ?? "") + text
      let rest = content.replacing(
        content.contains(added) ? added : text, with: "", maxReplacements: 1)
      if madeFile, rest.isEmpty {
        unsafe unlink(file)
      } else {
        try Self.write(Array(rest.utf8), to: file)
      }
    }
    return true
  }

  // MARK: Files

  /// Configuration files of other programs are read up to 4 MiB.
  private static let limit = 4 << 20

  private static func linkTarget(_ path: String) throws -> String? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = unsafe readlink(path, &buffer, buffer.count)
    return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
  }

  /// Nil if there is no file.
  private static func content(_ file: String) throws -> String? {
    guard InputFile.exists(file) else { return nil }
    let bytes = try InputFile.read(file, limit: limit)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Failure.unreadableConfiguration(file)
    }
    return text
  }

  private static func edit(_ file: String) throws -> JSONEdit? {
    guard InputFile.exists(file) else { return nil }
    do { return try JSONEdit(try InputFile.read(file, limit: limit)) } catch is JSONError {
      throw Failure.unreadableConfiguration(file)
    }
  }

  /// Keeps the mode of the file, which may contain secrets of its own.
  private static func write(_ bytes: [UInt8], to file: String) throws {
    var status = stat()
    var attributes: WholeFile.Attributes?
    if unsafe stat(file, &status) == 0 {
      attributes = WholeFile.Attributes(
        mode: status.st_mode & 0o7777, user: status.st_uid, group: status.st_gid)
    }
    // A configuration file may be a link into a directory of dotfiles.
    let place = unsafe realpath(file, nil)
    defer { unsafe free(place) }
    let path = unsafe place.map { unsafe String(cString: $0) } ?? file
    do { try WholeFile.write(bytes, to: path, replacing: true, like: attributes) } catch {
      throw CommandError.fileNotWritten(path: file, errno: error.errno)
    }
  }

  private static func makeDirectories(above path: String) throws {
    var made = ""
    for name in path.split(separator: "/").dropLast() {
      made += "/\(name)"
      if unsafe mkdir(made, 0o755) != 0, errno != EEXIST {
        throw CommandError.fileNotMade(path: made, errno: errno)
      }
    }
  }

  // MARK: Git

  private static func git(
    _ words: [String], _ invocation: Invocation
  ) throws -> ChildProgram.Result {
    guard
      let result = try ChildProgram.run(
        ["git", "config", "--global"] + words, environment: Invocation.wholeEnvironment())
    else { throw Failure.missingProgram("git") }
    return result
  }

  private static func requireGit(_ words: [String], _ invocation: Invocation) throws {
    let result = try git(words, invocation)
    guard result.status == 0 else {
      throw Failure.refusedByProgram("git config", String(decoding: result.errors, as: UTF8.self))
    }
  }

  private static func gitFiles(_ invocation: Invocation) -> [String] {
    guard let home = invocation.directory(in: "HOME") else { return [] }
    let configuration = invocation.directory(in: "XDG_CONFIG_HOME") ?? home + "/.config"
    return [home + "/.gitconfig", configuration + "/git/config"]
  }

  private static func hasGitConfiguration(_ invocation: Invocation) -> Bool {
    gitFiles(invocation).contains(where: InputFile.exists)
  }

  private static func removeEmptyGitConfiguration(_ invocation: Invocation) throws {
    for file in gitFiles(invocation) where InputFile.exists(file) {
      if try InputFile.read(file, limit: limit).isEmpty { unsafe unlink(file) }
    }
  }
}
