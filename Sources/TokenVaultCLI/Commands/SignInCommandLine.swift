import TokenVaultSignIn
import TokenVault
import TokenVaultModel

/// The command that signs an account in again, with all that is known of it.
struct SignInCommandLine {
  var scopes = ScopeSet([])
  var clientID: String?
  var tenantID: String?
  var claims: String?

  init(_ request: TokenRequest, claims: String?) {
    scopes = request.scopes
    if let resource = request.resource {
      scopes = ScopeSet([resource + (resource.hasSuffix("/") ? ".default" : "/.default")])
    }
    clientID = request.clientID
    tenantID = request.tenantID
    self.claims = claims
  }

  /// Does something for an account; where that takes the user, the failure names the command.
  func suggested<R>(in core: GroupSession, _ body: () throws -> R) throws -> R {
    do { return try body() } catch VaultError.interactionRequired(let why, let account, let group) {
      var line = self
      if case .refused(let answer) = why, !answer.claims.isEmpty { line.claims = answer.claims }
      throw Failure(why, account, group, signIn: line.text(account, group, core))
    }
  }

  /// Nil where it is not known who signed the account in.
  private func text(_ account: Account, _ group: GroupName, _ core: GroupSession) -> String? {
    let known: StoredSignIn
    // absent is an answer: the account is gone, and its name is all there is.
    do { known = try core.storedSignIn(.known(account), client: clientID) } catch {
      return nil
    }
    var words = ["sign-in"]
    func add(_ option: String, _ value: String) { words += [option, PlainText.shellWord(value)] }
    if let clientID = known.clientID {
      guard var authority = known.authority else { return nil }
      // absent is an answer: a tenant that cannot stand in a URL was told of before.
      if let tenantID { do { authority = try authority.with(tenant: tenantID) } catch {} }
      add("--client-id", clientID)
      add("--authority", authority.url)
    } else {
      guard known.clientIDs.count > 1 else { return nil }
      words += ["--client-id", "ID"]
    }
    for scope in (scopes.isEmpty ? known.scopes : scopes).scopes
    where !Self.ofSignIn.contains(scope) { add("--scope", scope) }
    if let claims { add("--claims", claims) }
    if !account.username.isEmpty { add("--login-hint", account.username) }
    return Failure.command(words.joined(separator: " "), group)
  }

  /// Asked for in any case.
  private static let ofSignIn: Set = ["openid", "profile", "offline_access"]
}
