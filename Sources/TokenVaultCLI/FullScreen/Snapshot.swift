import TokenVaultSignIn
import TokenVault
import TokenVaultModel

/// The contents of the group at one time.
struct Snapshot: Sendable {
  var accounts: [Account]
  var emptyReason: EmptyReason?
  var damagedRows = 0
  var device: DeviceInformation?
}
