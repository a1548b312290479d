/// The result of a rotation.
package struct RotationReport: Equatable, Sendable {
  /// The number of accounts whose rows and key were erased.
  package var erased = 0
  /// The number of accounts that were already unreadable and are unchanged.
  package var unreadable = 0
  /// The number of credentials of readable accounts that a renewal could not read.
  package var unreadableCredentials = 0

  package init(erased: Int = 0, unreadable: Int = 0) {
    self.erased = erased
    self.unreadable = unreadable
  }
}
