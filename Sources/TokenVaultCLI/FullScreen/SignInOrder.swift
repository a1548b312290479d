import TokenVault
import TokenVaultModel
import TokenVaultSignIn

/// The parameters of a sign-in.
struct SignInOrder: Hashable, Sendable {
  /// The account to sign in again; nil for any account.
  var account: Account?
  var clientID = ""
  var authority = ""
  var scopes = ""
  var loginHint = ""
  var usesDeviceCode = false
}

extension SignInOrder {
  /// The initial values: from the account, else from the configuration file.
  init(_ known: Account?, _ core: GroupSession, _ invocation: Invocation) throws {
    let known = try known.map { try core.storedSignIn(.known($0)) }
    let defaults = try invocation.configurationFile.flatMap { try UserConfiguration.read($0) }?
      .signIn
    account = known?.account
    clientID = known?.clientID ?? known?.clientIDs.first ?? defaults?.clientID ?? ""
    authority = known?.authority?.url ?? defaults?.authority ?? ""
    let before = known?.scopes ?? ScopeSet([])
    scopes = before.isEmpty ? (defaults?.scopes ?? []).joined(separator: " ") : "\(before)"
    loginHint = known?.account.username ?? ""
    usesDeviceCode = !["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"]
      .contains { invocation.environment[$0] != nil }
  }
}
