import TokenVaultKeyCustody

/// A store whose items that can be removed are those of the Secret Service.
protocol KeyringBackedStore: CredentialStore {
  var keyring: SecretServiceItems { get }
}

extension KeyringBackedStore {
  func remove(_ place: StoreItem.Place) throws -> StoreRemoval {
    guard case .keyring(let item) = place else { return .changed }
    return try keyring.removed(item) ? .removed : .changed
  }

  func notes() throws -> [String] { try keyring.notes() }
}
