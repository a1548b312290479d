import TokenVaultSignIn
import TokenVault
import TokenVaultModel
import TokenVaultSystem

/// The command that signs an account in again, with the known parameters of its sign-in.
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

  /// Runs `body`; if it requires user interaction, the failure names the sign-in command.
  func suggested<R>(in core: GroupSession, _ body: () throws -> R) throws -> R {
    do { return try body() } catch VaultError.interactionRequired(
      let reason, let account, let group)
    {
      var line = self
      if case .refused(let error) = reason, !error.claims.isEmpty { line.claims = error.claims }
      throw Failure(reason, account, group, signIn: line.text(account, group, core))
    }
  }

  /// Nil if the provider or client of the account is not known.
  private func text(_ account: Account, _ group: GroupName, _ core: GroupSession) -> String? {
    let known: StoredSignIn
    // absent is an answer: the account is gone, and only its name is known.
    do { known = try core.storedSignIn(.known(account), client: clientID) } catch {
      return nil
    }
    var words = ["sign-in"]
    func add(_ option: String, _ value: String) { words += [option, PlainText.shellWord(value)] }
    if let clientID = known.clientID {
      guard var authority = known.authority else { return nil }
      if let tenantID {
        bestEffort("a tenant that is not valid in a URL has been reported by the request itself") {
          authority = try authority.with(tenant: tenantID)
        }
      }
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

  /// Every sign-in requests these scopes.
  private static let ofSignIn: Set = ["openid", "profile", "offline_access"]
}
