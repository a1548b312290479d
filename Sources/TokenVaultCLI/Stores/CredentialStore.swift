/// The store of another program.
protocol CredentialStore {
  /// The items that belong to the program, in a stable order.
  func items() throws -> [StoreItem]

  /// Takes an item out of the store if it is still as it was read, and verifies that it is gone.
  /// - Returns: Whether it was taken out: an item that has changed since stays.
  func remove(_ place: StoreItem.Place) throws -> Bool

  /// Writes a password, and reads it back.
  /// - Parameter replacing: Whether a different one in its place is replaced.
  func write(_ password: StoredPassword, replacing: Bool) throws -> StoreWriting
}

/// The result of writing into a store.
enum StoreWriting {
  case written
  /// The store had it already.
  case unchanged
  /// It was not written; the reason.
  case refused(String)
}

extension CredentialStore {
  func remove(_ place: StoreItem.Place) throws -> Bool { false }

  func write(_ password: StoredPassword, replacing: Bool) throws -> StoreWriting {
    .refused("the store takes no passwords")
  }
}
