package import TokenVaultGroupStore

/// What a look at every byte of a group file found.
package typealias VerificationFindings = VerificationReport
/// What can be wrong with a group file; for those who tell people about it.
package typealias StoreFault = StoreError
/// Why a path is refused.
package typealias UnsafePath = StoreError.UnsafeReason

extension VaultCore {
  /// Opens every row of the group and holds them against each other.
  package func verify() throws(VaultError) -> VerificationFindings {
    try read { try $0.verify() }
  }
}
