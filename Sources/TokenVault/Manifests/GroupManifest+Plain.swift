package import TokenVaultModel

extension GroupManifest {
  /// A manifest for a group of which nothing else is known: only tokenvault opens it.
  package init(plain name: GroupName, custody: Custody = .secretService) {
    self.init(
      name: name, title: name.description, members: [Member("tokenvault")].compactMap(\.self),
      custody: custody, deviceMode: .private)
  }
}
