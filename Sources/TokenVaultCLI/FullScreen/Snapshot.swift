import TokenVault
import TokenVaultModel

/// The contents of the group at one time.
struct Snapshot: Sendable {
  var list = AccountList()
  /// The account that commands use if none is named.
  var current: Account?
  var emptyReason: EmptyReason?
  var damagedRows = 0
  var device: DeviceInformation?
  /// The changes since the snapshot before this one.
  var changes: [AccountChange] = []
}
