import TokenVaultSignIn
import TokenVault
import TokenVaultModel

/// The scope of a sign-out.
struct SignOutOrder: Hashable, Sendable {
  /// Nil for every account of the group.
  var account: Account?
  /// Nil for every client.
  var clientID: String?
  var endsBrowserSession = false

  /// Whether a stored secret is removed, which no provider issued.
  var isOfSecret: Bool { account?.authorityType == .secret }
}
