import Glibc
import TokenVault
import TokenVaultModel
import TokenVaultSystem

/// The changes that `credential install` made, so that `credential uninstall` undoes exactly these.
struct InstalledHelpers {
  private let path: String
  /// The changes, by the name of the protocol.
  private(set) var changes: [String: [ConfigurationChange]] = [:]

  /// Reads the file of the vault's directory, which need not exist.
  init(_ invocation: Invocation) throws {
    path = try invocation.configuration(.universalStorage).directory + "/helpers.json"
    guard let bytes = try SmallFile.read(path) else { return }
    let fault = VaultError.badManifest(path: path, fault: .notJSON)
    let value: JSONValue
    do { value = try JSONValue(parsing: bytes) } catch { throw fault }
    guard let members = value.members else { throw fault }
    for member in members {
      changes[member.name] = (member.value.elements ?? []).compactMap(ConfigurationChange.init)
    }
  }

  /// Remembers the changes of a protocol, in the place of its former ones; none forgets it.
  mutating func set(_ name: String, _ all: [ConfigurationChange]) throws {
    changes[name] = all.isEmpty ? nil : all
    let members = changes.sorted { $0.key < $1.key }.map { name, all in
      JSONValue.Member(name, .array(all.map(\.json)))
    }
    try SmallFile.write(JSONValue.object(members).bytes, to: path)
  }

  /// Lets changes survive a power cut that follows: git does not sync what it writes, and links and
  /// directories were made, so this syncs each file system in which there is a change.
  static func makeDurable(_ changes: [ConfigurationChange], _ invocation: Invocation) throws {
    var synced: Set<dev_t> = []
    for directory in try changes.flatMap({ try $0.directories(in: invocation) }) {
      do {
        var status = stat()
        guard unsafe stat(directory, &status) == 0 else {
          throw SystemCallError(errno: errno, call: "stat")
        }
        guard synced.insert(status.st_dev).inserted else { continue }
        try SystemCalls.syncFileSystem(of: directory)
      } catch let error as SystemCallError {
        throw CommandError.fileNotWritten(path: directory, errno: error.errno)
      }
    }
  }
}

extension ConfigurationChange {
  fileprivate var json: JSONValue {
    var members: [JSONValue.Member]
    switch kind {
    case .link(let path, let target):
      members = [.init("link", .string(path)), .init("target", .string(target))]
    case .git(let key, let value):
      members = [.init("git", .string(key)), .init("value", .string(value))]
    case .lines(let file, let text, let unique):
      members = [
        .init("file", .string(file)), .init("text", .string(text)),
        .init("unique", .string(unique)),
      ]
    case .json(let file, let path, let value):
      members = [
        .init("json", .string(file)), .init("path", .array(path.map { .string($0) })),
        .init("value", .string(value)),
      ]
    }
    if let former { members.append(.init("former", .string(former))) }
    if madeFile { members.append(.init("madeFile", .bool(true))) }
    if !madeDirectories.isEmpty {
      members.append(.init("madeDirectories", .array(madeDirectories.map { .string($0) })))
    }
    if madeParent { members.append(.init("madeParent", .bool(true))) }
    return .object(members)
  }

  fileprivate init?(_ json: JSONValue) {
    if let path = json["link"]?.text, let target = json["target"]?.text {
      self.init(.link(path: path, target: target))
    } else if let key = json["git"]?.text, let value = json["value"]?.text {
      self.init(.git(key: key, value: value))
    } else if let file = json["json"]?.text, let value = json["value"]?.text,
      let path = json["path"]?.elements
    {
      self.init(.json(file: file, path: path.compactMap(\.text), value: value))
    } else if let file = json["file"]?.text, let text = json["text"]?.text {
      self.init(.lines(file: file, text: text, unique: json["unique"]?.text ?? ""))
    } else {
      return nil
    }
    former = json["former"]?.text
    madeFile = json["madeFile"] == .bool(true)
    madeParent = json["madeParent"] == .bool(true)
    madeDirectories = json["madeDirectories"]?.elements?.compactMap(\.text) ?? []
  }
}
