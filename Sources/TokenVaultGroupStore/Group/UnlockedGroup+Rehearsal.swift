extension UnlockedGroup {
  private struct Rehearsed: Error {}

  /// Runs `body` as ``write(_:)`` does, and rolls everything back.
  package func rehearse<R>(_ body: (GroupTransaction) throws -> R) throws -> R {
    var result: R?
    do {
      try write { transaction in
        result = try body(transaction)
        throw Rehearsed()
      }
    } catch is Rehearsed {
      if let result { return result }
    }
    throw StoreError.busy
  }
}
