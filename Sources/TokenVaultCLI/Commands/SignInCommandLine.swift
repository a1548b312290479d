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
  /// Whether the configuration file has a client for sign-ins.
  var hasDefaultClient: () -> Bool = { false }

  /// The request that the sign-in is for.
  private let request: TokenRequest

  init(_ request: TokenRequest, claims: String?) {
    self.request = request
    scopes = request.scopes
    if let resource = request.resource {
      scopes = ScopeSet([resource + (resource.hasSuffix("/") ? ".default" : "/.default")])
    }
    clientID = request.clientID
    tenantID = request.tenantID
    self.claims = claims
  }

  /// Runs `body`, which requests a token of an account. If it requires user interaction, the failure
  /// names the sign-in command; if the provider is down, it says what still works.
  func suggested<R>(
    in core: GroupSession, of reference: AccountReference, _ body: () throws -> R
  ) throws -> R {
    // Another process may sign the account out while the provider is asked.
    let before = try storedSignIn(reference, core)
    do { return try body() } catch VaultError.interactionRequired(
      let reason, let account, let group)
    {
      var line = self
      if case .refused(let error) = reason, !error.claims.isEmpty { line.claims = error.claims }
      if let unknown = try unknownClient(reason, account, before, core) { throw unknown }
      throw Failure(
        reason, account, group,
        signIn: line.text(account, group, line.known(account, core) ?? before))
    } catch VaultError.signIn(.declinedScopes(_, let declined)) {
      throw declinedFailure(declined, before, core)
    } catch VaultError.signIn(.issuedElsewhere(let issuer, let requested)) {
      throw elsewhereFailure(issuer, requested, before, core)
    } catch VaultError.signIn(.badAnswer(.notJSON(let status))) where [400, 401].contains(status) {
      throw unexplainedFailure(status, before, core)
    } catch VaultError.signIn(let error)
      where error.isOutage || error.isThrottled || error.isForeignPage
    {
      // A stored secret is not a token of a provider, and does not depend on one.
      if before?.account.authorityType == .secret { throw VaultError.signIn(error) }
      throw Failure(outage: error, storedTokenEnds: storedTokenEnd(reference, core))
    }
  }

  /// The failure if the request names a client that the group does not know; nil for any other. A
  /// misspelt one must not lead to a sign-in.
  private func unknownClient(
    _ reason: InteractionReason, _ account: Account, _ before: StoredSignIn?, _ core: GroupSession
  ) throws -> Failure? {
    guard reason == .noToken, account.isSignedIn, let clientID, !account.clientIDs.isEmpty,
      !hasDefaultClient()
    else { return nil }
    let known = try AccountEnumeration(core).accounts(.all).accounts.flatMap(\.clientIDs)
    let last = try before?.authority.flatMap { try core.rememberedClient(of: $0) }
    guard !(known + [last].compactMap(\.self)).contains(where: { CaseFolding.equal($0, clientID) })
    else { return nil }
    let ids = account.clientIDs.map { "\n  \(PlainText.escaped($0))" }.joined()
    return Failure(
      .notFound,
      "\(Failure.name(account)) has no tokens of the client \(Failure.quoted(clientID)). Its "
        + "clients:\(ids)", next: Failure.again("with one of these clients"),
      note: text(account, core.group, before).map { "or, for a new client: \($0)" },
      code: "unknownClient")
  }

  /// The end of the stored token that the request would use if it did not have to be newer.
  private func storedTokenEnd(_ reference: AccountReference, _ core: GroupSession) -> Timestamp? {
    var request = request
    request.needsNewToken = false
    request.minimumValidity = 0
    // absent is an answer: no stored token fits, so the message does not mention one.
    do { return try TokenCache(core).token(request, of: reference).expiresOn } catch { return nil }
  }

  /// Some providers refuse a refresh token without the error object that RFC 6749 section 5.2
  /// requires. Nothing tells their response from that of a proxy, so the next step names both.
  private func unexplainedFailure(
    _ status: Int, _ before: StoredSignIn?, _ core: GroupSession
  ) -> Failure {
    let failure = Failure(VaultError.signIn(.badAnswer(.notJSON(status: status))) as any Error)
    let command = before.flatMap { text($0.account, core.group, $0) }
    return Failure(
      failure.status, failure.message,
      next: Failure.again(), note: command.map { "if it fails again: \($0)" }, code: failure.code)
  }

  /// At an OpenID Connect provider a refresh never grants more than the sign-in did (RFC 6749 section
  /// 6). At Microsoft Entra an administrator may have declined.
  private func declinedFailure(
    _ declined: [String], _ before: StoredSignIn?, _ core: GroupSession
  ) -> Failure {
    let failure = Failure(
      VaultError.signIn(.declinedScopes(granted: [], declined: declined)) as any Error)
    guard let account = before?.account, account.authorityType == .oidc else { return failure }
    let command = text(account, core.group, known(account, core) ?? before)
    return Failure(
      .signInNeeded, failure.message, next: command ?? Failure.command("sign-in", core.group),
      code: failure.code)
  }

  /// The sign-in at the server that issued the stored refresh token.
  private func elsewhereFailure(
    _ issuer: String, _ requested: String, _ before: StoredSignIn?, _ core: GroupSession
  ) -> Failure {
    let failure = Failure(
      VaultError.signIn(.issuedElsewhere(issuer: issuer, requested: requested)) as any Error)
    guard let before, let known = before.authority else { return failure }
    let authority: Authority
    // Without a path, the issuer is only a server.
    let path = HTTPURL(issuer)?.segments.isEmpty == true ? HTTPURL(known.url)?.path ?? "" : ""
    // absent is an answer: the general command is suggested.
    do { authority = try Authority(issuer + path) } catch { return failure }
    let command = text(before.account, core.group, before, at: authority)
    return failure.with(next: command)
  }

  private func storedSignIn(
    _ reference: AccountReference, _ core: GroupSession
  ) throws(VaultError) -> StoredSignIn? {
    do { return try core.storedSignIn(reference, client: clientID) } catch .signIn { return nil }
  }

  /// Nil if the account is gone.
  private func known(_ account: Account, _ core: GroupSession) -> StoredSignIn? {
    // absent is an answer: the parameters that were read before the request are used.
    do { return try core.storedSignIn(.known(account), client: clientID) } catch { return nil }
  }

  /// Nil if the provider or client of the account is not known.
  private func text(
    _ account: Account, _ group: GroupName, _ known: StoredSignIn?, at issuer: Authority? = nil
  ) -> String? {
    guard let known else { return nil }
    var words = ["sign-in"]
    func add(_ option: String, _ value: String) { words += [option, PlainText.shellWord(value)] }
    var isComplete = false
    if let clientID = known.clientID, var authority = issuer ?? known.authority {
      isComplete = true
      if let tenantID {
        bestEffort("a tenant that is not valid in a URL has been reported by the request itself") {
          authority = try authority.with(tenant: tenantID)
        }
      }
      add("--client-id", clientID)
      add("--authority", authority.url)
    } else if let clientID = known.clientID {
      // The client has nothing of the account. If it was not asked for, it is that of another tool.
      guard self.clientID != nil else { return nil }
      words.append(PlainText.shellWord([account].shortestForms[0]))
      add("--client-id", clientID)
    } else {
      // An account that was imported without tokens: its provider is known, but no client.
      guard known.clientIDs.count != 1 else { return nil }
      words.append(PlainText.shellWord([account].shortestForms[0]))
      if !known.clientIDs.isEmpty || !hasDefaultClient() { words += ["--client-id", "ID"] }
    }
    for scope in wanted(known, account).scopes where !Self.ofSignIn.contains(scope) {
      add("--scope", scope)
    }
    if let claims { add("--claims", claims) }
    if !account.username.isEmpty, isComplete { add("--login-hint", account.username) }
    return Failure.command(words.joined(separator: " "), group)
  }

  /// An OpenID Connect provider has one grant for each sign-in, so the new one asks for the scopes of
  /// the old one as well. Microsoft Entra keeps what the user consented to.
  private func wanted(_ known: StoredSignIn, _ account: Account) -> ScopeSet {
    if scopes.isEmpty { return known.scopes }
    guard account.authorityType == .oidc else { return scopes }
    let more = scopes.scopes.filter { !known.scopes.scopes.contains($0) }
    return ScopeSet(known.scopes.scopes + more)
  }

  /// Every sign-in requests these scopes.
  private static let ofSignIn: Set = ["openid", "profile", "offline_access"]
}
