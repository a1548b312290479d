package import TokenVaultGroupStore

/// A fault of a group file. The command line has the messages for it.
package typealias StoreFault = StoreError
/// The reason why a path is refused.
package typealias UnsafePath = StoreError.UnsafeReason
/// The result of checking every byte of a group file.
package typealias VerificationFindings = VerificationReport
