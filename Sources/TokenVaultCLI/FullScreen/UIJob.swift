import TokenVaultSignIn
import TokenVault
import TokenVaultModel

/// Carries out one order; the call blocks.
struct UIJob {
  let invocation: Invocation
  let core: GroupSession
  let acquisition: Acquisition

  func outcome(of order: UIOrder) throws -> UIOutcome {
    switch order {
    case .switchTo(let account):
      let current = try CurrentAccountSelection(core).select(.known(account))
      return .done("\(current.shownName) is the current account", nil)
    case .token(let order): return try token(order)
    case .call(let url, let order): return try call(url, order)
    case .signIn(let order): return try signIn(order)
    case .signOut(let order): return try signOut(order)
    case .add(let order): return try add(order)
    }
  }

  // MARK: Tokens

  private func request(_ order: TokenOrder) -> (TokenRequest, SilentOptions) {
    var options = SilentOptions()
    options.forceRefresh = order.forceRefresh
    return (
      TokenRequest(scopes: ScopeSet(target: order.scopes), clientID: order.clientID), options
    )
  }

  private func token(_ order: TokenOrder) throws -> UIOutcome {
    let (request, options) = request(order)
    let token = try acquisition.silent(request, of: .known(order.account), options)
    let source = token.isFromCache ? "from the vault" : "new, from the provider"
    var lines = ["Account    \(token.account.shownName)"]
    let left = token.expiresOn.map { Clock.left($0, core.now) } ?? "no expiry"
    if let end = token.expiresOn { lines.append("Expires    \(end.iso8601) (\(left))") }
    lines.append("Scopes     \(token.scopes)")
    lines.append("Authority  \(token.authority)")
    lines.append("Source     \(source)")
    if !token.correlationID.isEmpty { lines.append("Request    \(token.correlationID)") }
    if token.isExtendedLifetime {
      lines.append("The token has expired and is used because the provider is unavailable.")
    }
    lines += ["", "The token itself is not shown here; tokenvault token prints it."]
    return .done(
      "\(token.account.shownName): \(source), \(left)", TextPage("Token", lines))
  }

  // MARK: Calls

  private func call(_ url: String, _ order: TokenOrder) throws -> UIOutcome {
    let response = try response(url, order)
    let host = HTTPURL(url)?.host ?? url
    var lines = ["Status  \(response.status)"]
    if let type = response.header("Content-Type") { lines.append("Type    \(type)") }
    if let location = response.header("Location") {
      lines.append("It redirects to \(location); the redirect was not followed.")
    }
    lines.append("")
    lines +=
      JSONText.lines(response.body)
      ?? String(decoding: response.body, as: UTF8.self).split(
        omittingEmptySubsequences: false, whereSeparator: \.isNewline
      ).map(String.init)
    return .done(
      "\(host) answered \(response.status), \(response.body.count) bytes", TextPage(url, lines))
  }

  private func response(_ url: String, _ order: TokenOrder) throws -> HTTPResponse {
    var request: APIRequest
    do { request = try APIRequest("GET", url) } catch { throw VaultError.signIn(error) }
    (request.token, request.silent) = self.request(order)
    return try acquisition.call(request, of: .known(order.account))
  }

  // MARK: In and out

  private func signIn(_ order: SignInOrder) throws -> UIOutcome {
    let again = try order.account.map {
      try core.storedSignIn(.known($0), client: order.clientID)
    }
    let terms = try SignInTerms(
      SignInTerms.Given(
        clientID: order.clientID, authority: order.authority,
        scopes: ScopeSet(target: order.scopes).scopes), again, core, in: invocation)
    let result: TokenResult
    if order.usesDeviceCode {
      result = try acquisition.deviceCode(
        terms.scopes, account: again?.account.homeAccountID, terms.application,
        makesCurrent: true)
    } else {
      try invocation.register(terms.application.redirectURI)
      var request = InteractiveRequest(scopes: terms.scopes)
      request.loginHint = order.loginHint
      request.account = again?.account.homeAccountID
      request.prompt = order.prompt ?? .ifNecessary
      request.offersAccountPicker = order.prompt == nil
      result = try acquisition.interactive(request, terms.application, makesCurrent: true)
    }
    return .done(
      "\(result.account.shownName) is signed in\(result.isSignedInAgain ? " again" : ""), "
        + "and the current account", nil)
  }

  private func signOut(_ order: SignOutOrder) throws -> UIOutcome {
    var options = SignOutOptions()
    options.clientID = order.clientID
    options.endsBrowserSession = order.endsBrowserSession
    // No provider issued it.
    if order.isOfSecret { options.revokes = false }
    let report = try Revocation(acquisition).signOut(
      order.account.map { .accounts([.known($0)]) } ?? .everything, options)
    let names = report.accounts.map(\.shownName)
    let accounts =
      names.isEmpty
      ? "there was no account to sign out"
      : names.count > 3 ? "\(names.count) accounts" : names.joined(separator: ", ")
    let end =
      !report.isClean
      ? "DATA REMAINS: see the report"
      : report.uncleanFiles.isEmpty
        ? "nothing is left on this machine" : "NOT CLEAN: a file that was imported, see the report"
    return .done(
      "\(accounts): \(end)",
      TextPage(order.isOfSecret ? "Removed" : "Signed out", report.lines))
  }

  /// The rules are those of the command `add`.
  private func add(_ order: SecretOrder) throws -> UIOutcome {
    guard let url = ServiceURL(order.service) else {
      throw CommandError.badServiceURL(order.service)
    }
    guard let secret = order.secret else { throw CommandError.secretNotNamed }
    guard ServiceSecrets.isStorable(username: order.username) else {
      throw CommandError.badUsername(order.username)
    }
    var end: Timestamp?
    if !order.expires.isEmpty {
      guard let expiry = Expiry(order.expires, now: core.now) else {
        throw CommandError.badExpiry(order.expires)
      }
      end = expiry.time
    }
    let secrets = ServiceSecrets(core)
    if !order.replaces, try secrets.contains(service: url, username: order.username) {
      return .replaces("\(PlainText.escaped(order.username)) at \(url)")
    }
    let (account, _, isReplaced) = try secrets.store(
      secret.revealed, service: url, username: order.username, expiresOn: end)
    return .done(
      "\(isReplaced ? "replaced" : "stored") the secret for \(account.shownName) at \(url)", nil)
  }
}
