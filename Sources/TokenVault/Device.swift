public import TokenVaultModel

/// MSAL's device information, as far as Linux has it.
public struct DeviceInformation: Sendable {
  /// Whether one person or several use the machine.
  public let mode: GroupManifest.DeviceMode
  /// The file that says so; nil where the shipped manifest does.
  public let source: String?
}

extension VaultCore {
  /// The device mode: the machine's device file first, then the group's manifest.
  package func deviceInformation() throws(VaultError) -> DeviceInformation {
    if let bytes = try SmallFile.read(configuration.deviceFile) {
      return DeviceInformation(
        mode: try Self.mode(bytes, path: configuration.deviceFile),
        source: configuration.deviceFile)
    }
    do {
      let found = try Manifests(directories: configuration.manifestDirectories).find(group)
      return DeviceInformation(mode: found.manifest.deviceMode, source: found.path)
    } catch .noManifest {
      return DeviceInformation(mode: .private, source: nil)
    }
  }

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
