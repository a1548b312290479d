import Synchronization
package import TokenVaultModel

/// The manifests of keychain groups: those of the user, of the machine, and the shipped ones, in
/// this order of precedence.
package struct Manifests: Sendable {
  /// The fields of a manifest.
  package static let fields = ["$schema", "name", "title", "members", "custody", "deviceMode"]

  private let directories: [String]

  /// The manifests in these directories, which are searched in this order before the shipped
  /// manifests.
  package init(directories: [String]) { self.directories = directories }

  /// A manifest and the file that it comes from.
  package struct Found: Hashable, Sendable {
    /// The content of the manifest.
    package let manifest: GroupManifest
    /// The path of its file; nil for a shipped manifest.
    package let path: String?
  }

  /// The manifest in force for a group.
  /// - Throws: ``VaultError/noManifest(_:)`` if there is none;
  ///   ``VaultError/badManifest(path:fault:)`` if its file cannot be used.
  package func find(_ name: GroupName) throws(VaultError) -> Found {
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

  /// The names of all groups that have a manifest, sorted.
  package func names() throws(VaultError) -> [GroupName] {
    var names = Set(GroupManifest.shipped.map(\.name))
    for directory in directories {
      names.formUnion(try GroupFiles.names(in: directory, suffix: ".json"))
    }
    return names.sorted()
  }

  /// Writes a manifest to the first directory, where it takes precedence over all others.
  /// - Returns: The path of its file.
  /// - Throws: ``VaultError/noManifest(_:)`` if there is no directory;
  ///   ``VaultError/file(path:call:errno:)`` if the file cannot be written.
  @discardableResult
  package func save(_ manifest: GroupManifest) throws(VaultError) -> String {
    guard let directory = directories.first else { throw .noManifest(manifest.name) }
    let path = "\(directory)/\(manifest.name).json"
    try SmallFile.write(Self.encode(manifest), to: path)
    return path
  }

  /// Writes the manifest that will be in force once a rekey has committed. Until it is saved, it
  /// and the manifest in force together name the key file that opens the group, wherever the rekey
  /// is interrupted.
  package func stage(_ manifest: GroupManifest) throws(VaultError) {
    guard let path = stagedPath(manifest.name) else { throw .noManifest(manifest.name) }
    try SmallFile.write(Self.encode(manifest), to: path)
  }

  /// The manifest of a rekey that is not known to have ended; nil if there is none.
  package func staged(_ name: GroupName) throws(VaultError) -> GroupManifest? {
    guard let path = stagedPath(name), let bytes = try SmallFile.read(path) else { return nil }
    return try Self.decode(bytes, path: path)
  }

  /// Removes the manifest that ``stage(_:)`` wrote.
  package func unstage(_ name: GroupName) throws(VaultError) {
    if let path = stagedPath(name) { try SmallFile.remove(path) }
  }

  private func stagedPath(_ name: GroupName) -> String? {
    directories.first.map { "\($0)/\(name).json.next" }
  }

  /// Removes the user's own manifest of a group, the one in the first directory, if there is one.
  package func remove(_ name: GroupName) throws(VaultError) {
    guard let directory = directories.first else { return }
    try SmallFile.remove("\(directory)/\(name).json")
  }

  static func decode(_ bytes: [UInt8], path: String) throws(VaultError) -> GroupManifest {
    if let known = decoded.withLock({ $0 }), known.bytes == bytes, known.path == path {
      return known.manifest
    }
    let manifest = try parse(bytes, path: path)
    decoded.withLock { $0 = Decoded(bytes: bytes, path: path, manifest: manifest) }
    return manifest
  }

  /// The last manifest that was parsed. An open vault reads the file of its group before every change,
  /// and parsing took longer than reading.
  private static let decoded = Mutex<Decoded?>(nil)

  private struct Decoded {
    let bytes: [UInt8]
    let path: String
    let manifest: GroupManifest
  }

  private static func parse(_ bytes: [UInt8], path: String) throws(VaultError) -> GroupManifest {
    let object = try JSONFile(bytes, path: path, fields: fields)
    guard let name = GroupName(try object.text("name")) else { throw object.bad("name") }
    guard let elements = try object.value("members").elements else { throw object.bad("members") }
    let members = try elements.map { element throws(VaultError) in
      guard let member = element.text.flatMap(GroupManifest.Member.init) else {
        throw object.bad("members")
      }
      return member
    }
    guard let custody = GroupManifest.Custody(json: try object.value("custody")) else {
      throw object.bad("custody")
    }
    guard let mode = GroupManifest.DeviceMode(rawValue: try object.text("deviceMode")) else {
      throw object.bad("deviceMode")
    }
    return GroupManifest(
      name: name, title: try object.text("title"), members: members, custody: custody,
      deviceMode: mode)
  }

  private static func encode(_ manifest: GroupManifest) -> [UInt8] {
    JSONValue.object([
      .init("name", .string(manifest.name.description)),
      .init("title", .string(manifest.title)),
      .init("members", .array(manifest.members.map { .string($0.description) })),
      .init("custody", manifest.custody.json),
      .init("deviceMode", .string(manifest.deviceMode.rawValue)),
    ]).prettyBytes
  }
}
