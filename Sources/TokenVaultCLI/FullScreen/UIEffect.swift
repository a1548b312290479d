import TokenVaultSignIn
import TokenVault
import TokenVaultModel

/// An output of the state: something to do outside it.
enum UIEffect: Hashable, Sendable {
  /// Read the group; the result carries the number.
  case load(Int)
  /// Post ``UIEvent/settled`` after a pause.
  case settle
  /// Look up the initial values of a sign-in, for an account or a new one.
  case prepare(account: Account?)
  /// Look up the groups of this machine.
  case findGroups
  /// Show another group, and there the form for a secret.
  case open(GroupName, addsSecret: Bool)
  /// Start an order, which may take long; its events carry the number.
  case start(Int, UIOrder)
  case cancel
  case redraw
  case suspend
  case leave(ExitStatus)
}
