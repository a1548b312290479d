/// The store of another program.
protocol CredentialStore {
  /// The items that belong to the program, in a stable order.
  func items() throws -> [StoreItem]

  /// Takes an item out of the store if it is still as it was read, and verifies that it is gone.
  func remove(_ place: StoreItem.Place) throws -> StoreRemoval

  /// Sentences about places that could not be searched.
  func notes() throws -> [String]

  /// Writes a password, and reads it back.
  /// - Parameters:
  ///   - replacing: Whether a different one in its place is replaced.
  ///   - isRehearsal: Whether it is only found out what would be done.
  func write(
    _ password: StoredPassword, replacing: Bool, isRehearsal: Bool
  ) throws -> StoreWriting
}

/// The result of writing into a store.
enum StoreWriting {
  case written
  /// The store had it already.
  case unchanged
  /// It was not written; the reason.
  case refused(String)
  /// The store has it, but not as the program will use it; the reason.
  case misplaced(String)
}

/// The result of taking an item out of a store.
enum StoreRemoval {
  case removed
  /// The item is gone, and something after it failed; the reason.
  case removedWithFault(String)
  /// It has changed since it was read, and stays.
  case changed
}

extension CredentialStore {
  func remove(_ place: StoreItem.Place) throws -> StoreRemoval { .changed }

  func notes() throws -> [String] { [] }

  func write(
    _ password: StoredPassword, replacing: Bool, isRehearsal: Bool
  ) throws -> StoreWriting {
    .refused("the store takes no passwords")
  }
}
