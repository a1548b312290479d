import TokenVault
import TokenVaultModel
import TokenVaultSignIn

// MARK: A token that requires a sign-in

extension Failure {
  /// - Parameter command: the sign-in that helps; nil if only the account is known.
  init(
    _ reason: InteractionReason, _ account: Account, _ group: GroupName,
    signIn command: String? = nil
  ) {
    let isSignedOut = reason == .noToken && !account.isSignedIn
    let code = VaultError.interactionRequired(
      isSignedOut ? .signedOut : reason, account: account, group: group
    ).code
    if account.authorityType == .secret {
      self = Self.secret(reason, account, group, code: code)
    } else if case .otherTenant(let tenants) = reason, let tenant = tenants.first {
      self.init(
        .signInNeeded, Self.text(reason, account),
        next: Self.command("token --tenant \(PlainText.shellWord(tenant))", group), code: code)
    } else {
      self.init(
        .signInNeeded, Self.text(reason, account),
        next: command ?? Self.signInNext(account, group), code: code)
    }
  }

  private static func text(_ reason: InteractionReason, _ account: Account) -> String {
    let name = name(account)
    return switch reason {
    case .noToken where !account.isSignedIn: "\(name) is signed out."
    case .noToken: "\(name) has no stored token that matches the request."
    case .expired(let end):
      "The stored token of \(name) has expired or expires too soon"
        + (end.map { " (\($0.iso8601))." } ?? ".")
    case .signedOut: "\(name) is signed out."
    case .newTokenRequested: "\(name) needs a new token, and a new token requires a sign-in."
    case .otherTenant(let tenants):
      "\(name) has tokens only for other tenants: "
        + tenants.map(PlainText.escaped).joined(separator: ", ") + "."
    case .refused(let error) where error.code == "invalid_scope":
      "The sign-in of \(name) did not grant every requested scope: \(text(error)).\(trace(error))"
    case .refused(let error):
      "The provider requires \(name) to sign in again: \(text(error)).\(trace(error))"
    case .unknownAuthority: "It is not known at which provider \(name) signed in."
    }
  }

  /// If the sign-in parameters are unknown, the tool that the account came from has to sign in, and
  /// its cache is imported again.
  private static func signInNext(_ account: Account, _ group: GroupName) -> String {
    let azureCLI = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
    if account.clientIDs.isEmpty, account.authorityType != .secret {
      return command(
        "sign-in \(PlainText.shellWord([account].shortestForms[0])) --client-id ID", group)
    }
    if account.clientIDs.contains(azureCLI) {
      return "az login && " + command("import ~/.azure/msal_token_cache.json", group)
    }
    return "sign in with the tool that manages the account, then import its token cache: "
      + command("import FILE", group)
  }
}
