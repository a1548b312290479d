import TokenVaultSignIn
import TokenVault
import TokenVaultModel

/// The token that the user wants.
struct TokenOrder: Hashable, Sendable {
  var account: Account
  var scopes = ""
  var clientID: String?
  var forceRefresh = false
}
