import TokenVault

/// The vault's error of a call; nil where it threw none.
func failure<R>(of body: () throws -> R) throws -> VaultError? {
  do {
    _ = try body()
    return nil
  } catch let error as VaultError { return error }
}
