import TokenVault

/// The `VaultError` that a call throws; nil if it succeeds.
func failure<R>(of body: () throws -> R) throws -> VaultError? {
  do {
    _ = try body()
    return nil
  } catch let error as VaultError { return error }
}
