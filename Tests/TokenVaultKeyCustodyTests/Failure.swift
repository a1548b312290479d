import TokenVaultKeyCustody

/// The error that a call threw; nil when it threw none.
func failure(of call: () throws(CustodyError) -> Void) -> CustodyError? {
  do throws(CustodyError) {
    try call()
    return nil
  } catch {
    return error
  }
}
