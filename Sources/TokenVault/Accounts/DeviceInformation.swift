public import TokenVaultModel

/// MSAL's device information, as far as it exists on Linux.
public struct DeviceInformation: Sendable {
  /// Whether one person or several use the machine.
  public let mode: GroupManifest.DeviceMode
  /// The file that sets the mode; nil if the mode comes from the shipped manifest.
  public let source: String?

  init(mode: GroupManifest.DeviceMode, source: String?) {
    self.mode = mode
    self.source = source
  }

  /// Reads the machine's device file; if there is none, the group's manifest.
  package init(_ configuration: VaultConfiguration) throws(VaultError) {
    if let bytes = try SmallFile.read(configuration.deviceFile) {
      self.init(
        mode: try Self.mode(bytes, path: configuration.deviceFile),
        source: configuration.deviceFile)
      return
    }
    do {
      let found = try Manifests(directories: configuration.manifestDirectories)
        .find(configuration.group)
      self.init(mode: found.manifest.deviceMode, source: found.path)
    } catch .noManifest {
      self.init(mode: .private, source: nil)
    }
  }

  var isShared: Bool { mode == .shared }

  private static func mode(
    _ bytes: [UInt8], path: String
  ) throws(VaultError) -> GroupManifest.DeviceMode {
    let object = try JSONFile(bytes, path: path, fields: ["deviceMode"])
    guard let mode = GroupManifest.DeviceMode(rawValue: try object.text("deviceMode")) else {
      throw object.bad("deviceMode")
    }
    return mode
  }
}
