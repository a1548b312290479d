import TokenVaultModel

extension GroupManifest {
  /// A manifest without members for the universal storage group, on a private device.
  static func with(_ custody: Custody) -> GroupManifest {
    GroupManifest(
      name: .universalStorage, title: "test", members: [], custody: custody, deviceMode: .private)
  }
}
