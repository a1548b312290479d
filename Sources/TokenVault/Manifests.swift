import Foundation
public import VaultModel

/// The manifests of keychain groups: the user's, the machine's, then the shipped ones.
public struct Manifests: Sendable {
  private let directories: [String]

  /// - Parameter directories: looked through in this order before the shipped manifests.
  public init(directories: [String]) { self.directories = directories }

  /// A manifest and the file it comes from; nil for a shipped one.
  public struct Found: Hashable, Sendable {
    /// What the manifest says.
    public let manifest: GroupManifest
    /// Its file; nil for a shipped one.
    public let path: String?
  }

  /// The manifest that is in force for a group.
  public func find(_ name: GroupName) throws(VaultError) -> Found {
    for directory in directories {
      let path = "\(directory)/\(name).json"
      guard let bytes = try SmallFile.read(path) else { continue }
      let manifest = try Self.decode(bytes, path: path)
      guard manifest.name == name else { throw .badManifest(path: path, fault: .nameMismatch) }
      return Found(manifest: manifest, path: path)
    }
    guard let shipped = GroupManifest.shipped.first(where: { $0.name == name }) else {
      throw .noManifest(name)
    }
    return Found(manifest: shipped, path: nil)
  }

  /// The names of all groups that have a manifest, in order.
  public func names() throws(VaultError) -> [GroupName] {
    var names = Set(GroupManifest.shipped.map(\.name))
    for directory in directories {
      names.formUnion(try GroupFiles.names(in: directory, suffix: ".json"))
    }
    return names.sorted()
  }

  /// Writes a manifest to the first directory, where it comes before all others.
  /// - Returns: its path.
  @discardableResult
  public func save(_ manifest: GroupManifest) throws(VaultError) -> String {
    guard let directory = directories.first else { throw .noManifest(manifest.name) }
    let path = "\(directory)/\(manifest.name).json"
    try SmallFile.write(Self.encode(manifest), to: path)
    return path
  }

  /// Removes the user's own manifest of a group, if there is one.
  public func remove(_ name: GroupName) throws(VaultError) {
    guard let directory = directories.first else { return }
    try SmallFile.remove("\(directory)/\(name).json")
  }

  static func decode(_ bytes: [UInt8], path: String) throws(VaultError) -> GroupManifest {
    func fail(_ fault: ManifestFault) -> VaultError { .badManifest(path: path, fault: fault) }
    let parsed: Any
    do { parsed = try JSONSerialization.jsonObject(with: Data(bytes)) } catch {
      throw fail(.notJSON)
    }
    guard let object = parsed as? [String: Any] else { throw fail(.notJSON) }
    let known = ["$schema", "name", "title", "members", "custody", "deviceMode"]
    if let unknown = object.keys.sorted().first(where: { !known.contains($0) }) {
      throw fail(.unknownField(unknown))
    }
    func text(_ field: String) throws(VaultError) -> String {
      guard let value = object[field] else { throw fail(.missingField(field)) }
      guard let text = value as? String, !text.isEmpty else { throw fail(.badValue(field)) }
      return text
    }
    guard let name = GroupName(try text("name")) else { throw fail(.badValue("name")) }
    guard let members = object["members"] else { throw fail(.missingField("members")) }
    guard let members = members as? [String] else { throw fail(.badValue("members")) }
    guard let mode = GroupManifest.DeviceMode(rawValue: try text("deviceMode")) else {
      throw fail(.badValue("deviceMode"))
    }
    guard let custody = object["custody"] else { throw fail(.missingField("custody")) }
    guard let custody = GroupManifest.Custody(json: custody) else {
      throw fail(.badValue("custody"))
    }
    return GroupManifest(
      name: name, title: try text("title"),
      members: try members.map { member throws(VaultError) in
        guard let member = GroupManifest.Member(member) else { throw fail(.badValue("members")) }
        return member
      },
      custody: custody, deviceMode: mode)
  }

  private static func encode(_ manifest: GroupManifest) throws(VaultError) -> [UInt8] {
    let object: [String: Any] = [
      "name": manifest.name.description, "title": manifest.title,
      "members": manifest.members.map(\.description), "custody": manifest.custody.json,
      "deviceMode": manifest.deviceMode.rawValue,
    ]
    do {
      let data = try JSONSerialization.data(
        withJSONObject: object, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
      return Array(data) + Array("\n".utf8)
    } catch { throw .unexpected(type: String(describing: type(of: error))) }
  }
}

extension GroupManifest.Custody {
  init?(json: Any) {
    if let word = json as? String {
      switch word {
      case "secret-service": self = .secretService
      case "passphrase": self = .passphrase
      default: return nil
      }
    } else if let object = json as? [String: String], object.count == 1,
      let path = object["key-file"], path.hasPrefix("/")
    {
      self = .keyFile(path: path)
    } else {
      return nil
    }
  }

  var json: Any {
    switch self {
    case .secretService: "secret-service"
    case .passphrase: "passphrase"
    case .keyFile(let path): ["key-file": path]
    }
  }

  /// The word for people and JSON.
  public var word: String {
    switch self {
    case .secretService: "secret-service"
    case .passphrase: "passphrase"
    case .keyFile: "key-file"
    }
  }
}
