package import TokenVaultModel

extension GroupManifest {
  /// The manifests of `keychain-groups/`, which are built in.
  package static let shipped: [GroupManifest] = [
    ("com.microsoft.identity.universalstorage", "Microsoft identity, shared by MSAL tools"),
    ("com.microsoft.adalcache", "Microsoft identity, for tools of the ADAL generation"),
    ("dev.tokenvault.shared", "Accounts and secrets shared by TokenVault tools"),
  ].compactMap { name, title in
    guard let name = GroupName(name), let member = Member("tokenvault") else { return nil }
    return GroupManifest(
      name: name, title: title, members: [member], custody: .secretService, deviceMode: .private)
  }
}
