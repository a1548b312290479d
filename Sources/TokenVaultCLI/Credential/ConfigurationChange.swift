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
  /// The directories that were made for it, outermost first.
  var madeDirectories: [String] = []

  init(_ kind: Kind) { self.kind = kind }

  /// The path of a link; nil for any other change.
  var linkPath: String? {
    if case .link(let path, _) = kind { path } else { nil }
  }

  /// The file or the link; nil if git writes it.
  private var place: String? {
    switch kind {
    case .link(let path, _), .json(let path, _, _), .lines(let path, _, _): path
    case .git: nil
    }
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
    case .lines(let file, let text, _):
      return try Self.content(file).flatMap { Self.place(of: text, in: $0) } != nil
    }
  }

  /// The change with what it would replace. It throws if it cannot be made without losing something.
  /// - Parameter known: The changes that were made before.
  func prepared(
    in invocation: Invocation, after known: [ConfigurationChange] = []
  ) throws -> ConfigurationChange {
    var change = self
    guard try !isInForce(in: invocation) else { return change }
    let made = Set(known.flatMap(\.madeDirectories))
    // The last one that leaves a directory removes it.
    change.madeDirectories =
      place.map(Self.directories)?
      .filter { made.contains($0) || !InputFile.exists($0) } ?? []
    switch kind {
    case .link(let path, _):
      guard try Self.linkTarget(path) == nil, !InputFile.exists(path) else {
        throw Failure.foreignProgram(path)
      }
    case .git: change.madeFile = try !Self.hasGitConfiguration(invocation)
    case .json(let file, let path, let value):
      let known = try Self.edit(file)
      change.madeFile = known == nil
      var edit = try known ?? JSONEdit(Self.emptyObject)
      change.former = edit.value(at: path)?.text
      change.madeParent = path.count > 1 && edit.value(at: path.dropLast()) == nil
      guard edit.value(at: path) == nil || change.former != nil, edit.set(.string(value), at: path)
      else { throw Failure.foreignConfiguration(file, path) }
    case .lines(let file, let text, let unique):
      let content = try Self.content(file)
      change.madeFile = content == nil
      guard !Self.lines(of: content ?? []).contains(where: { Self.isSection($0, unique) }) else {
        throw Failure.takenConfiguration(file, text)
      }
      change.former = content.map { $0.isEmpty || $0.last == 0x0a ? "" : "\n" }
    }
    return change
  }

  /// Makes a prepared change; one that is in force stays as it is.
  func apply(in invocation: Invocation) throws {
    guard try !isInForce(in: invocation) else { return }
    switch kind {
    case .link(let path, let target):
      try Self.makeDirectories(above: path)
      guard unsafe symlink(target, path) == 0 else {
        throw CommandError.fileNotMade(path: path, errno: errno)
      }
    case .git(let key, let value): try Self.requireGit(["--add", key, value], invocation)
    case .json(let file, let path, let value):
      var edit = try Self.edit(file) ?? JSONEdit(Self.emptyObject)
      guard edit.set(.string(value), at: path) else {
        throw Failure.foreignConfiguration(file, path)
      }
      try Self.makeDirectories(above: file)
      try Self.write(edit.bytes, to: file)
    case .lines(let file, let text, _):
      try Self.makeDirectories(above: file)
      try Self.write(
        (try Self.content(file) ?? []) + Array(((former ?? "") + text).utf8), to: file)
    }
  }

  /// Takes the change back if it is still in force, and removes the directories that were made for it.
  /// - Returns: Whether it was in force.
  @discardableResult
  func undo(in invocation: Invocation) throws -> Bool {
    let wasInForce = try takeBack(in: invocation)
    // A killed call may have taken the change back already.
    try removeMadeDirectories()
    return wasInForce
  }

  /// One that has something in it stays.
  private func removeMadeDirectories() throws {
    for directory in madeDirectories.reversed() {
      guard
        unsafe rmdir(directory) == 0
          || [ENOTEMPTY, EEXIST, EBUSY, ENOENT, ENOTDIR].contains(errno)
      else { throw CommandError.fileNotWritten(path: directory, errno: errno) }
    }
  }

  private func takeBack(in invocation: Invocation) throws -> Bool {
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
      guard let content = try Self.content(file), let place = Self.place(of: text, in: content)
      else { return false }
      let start = former == "\n" && place.lowerBound > 0 ? place.lowerBound - 1 : place.lowerBound
      let rest = Array(content[..<start] + content[place.upperBound...])
      if madeFile, rest.isEmpty {
        unsafe unlink(file)
      } else {
        try Self.write(rest, to: file)
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

  private static let emptyObject = Array("{\n}\n".utf8)

  /// Nil if there is no file.
  private static func content(_ file: String) throws -> [UInt8]? {
    guard InputFile.exists(file) else { return nil }
    return try InputFile.read(file, limit: limit)
  }

  private static func lines(of content: [UInt8]) -> [ArraySlice<UInt8>] {
    content.split(separator: 0x0a, omittingEmptySubsequences: false)
  }

  /// Whether a line begins a section or a value with this name, however it is spelt.
  private static func isSection(_ line: ArraySlice<UInt8>, _ name: String) -> Bool {
    let text = String(decoding: line, as: UTF8.self).drop { " \t[\"'".contains($0) }
    guard text.hasPrefix(name) else { return false }
    return text.dropFirst(name.count).first.map { !$0.isLetter && $0 != "_" && $0 != "-" } ?? true
  }

  /// Where the text stands as whole lines. Nil also if lines of the same section follow: they would
  /// move into the section above.
  private static func place(of text: String, in content: [UInt8]) -> Range<Int>? {
    let wanted = Array(text.utf8)
    guard content.count >= wanted.count else { return nil }
    for start in 0...(content.count - wanted.count)
    where (start == 0 || content[start - 1] == 0x0a)
      && content[start..<(start + wanted.count)].elementsEqual(wanted)
    {
      let rest = content[(start + wanted.count)...].drop { [0x20, 0x09, 0x0a, 0x0d].contains($0) }
      let ends = text.contains("{") || rest.isEmpty || rest.first == UInt8(ascii: "[")
      return ends ? start..<(start + wanted.count) : nil
    }
    return nil
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
    guard try unsafe place != nil || linkTarget(file) == nil else {
      throw CommandError.fileNotWritten(path: file, errno: ENOENT)
    }
    let path = unsafe place.map { unsafe String(cString: $0) } ?? file
    do { try WholeFile.write(bytes, to: path, replacing: true, like: attributes) } catch {
      throw CommandError.fileNotWritten(path: file, errno: error.errno)
    }
  }

  /// The directories above a path, outermost first.
  private static func directories(above path: String) -> [String] {
    path.split(separator: "/").dropLast().reduce(into: []) { all, name in
      all.append("\(all.last ?? "")/\(name)")
    }
  }

  /// The directories in which the change is, or was: for git, in which its configuration may be.
  func directories(in invocation: Invocation) throws -> [String] {
    let places = try place.map { [$0] } ?? Self.gitFiles(invocation).map(invocation.resolved)
    return places.map { Self.directories(above: $0).last(where: InputFile.exists) ?? "/" }
  }

  private static func makeDirectories(above path: String) throws {
    for directory in directories(above: path) {
      if unsafe mkdir(directory, 0o755) != 0, errno != EEXIST {
        throw CommandError.fileNotMade(path: directory, errno: errno)
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

  private static func gitFiles(_ invocation: Invocation) throws -> [String] {
    let name = "GIT_CONFIG_GLOBAL"
    if let file = Invocation.variables([name])[name] { return [try invocation.absolute(file)] }
    guard let home = invocation.directory(in: "HOME") else { return [] }
    let configuration = invocation.directory(in: "XDG_CONFIG_HOME") ?? home + "/.config"
    return [home + "/.gitconfig", configuration + "/git/config"]
  }

  private static func hasGitConfiguration(_ invocation: Invocation) throws -> Bool {
    try gitFiles(invocation).contains(where: InputFile.exists)
  }

  private static func removeEmptyGitConfiguration(_ invocation: Invocation) throws {
    for file in try gitFiles(invocation) where InputFile.exists(file) {
      if try InputFile.read(file, limit: limit).isEmpty { unsafe unlink(file) }
    }
  }
}
