import TokenVault
import TokenVaultCredentialHelpers
import TokenVaultCrypto
import TokenVaultModel
import TokenVaultSignIn

/// Answers the requests of helpers from the vault.
struct CredentialBroker {
  let invocation: Invocation
  /// The name of the protocol, which a stored secret remembers.
  let tool: String
  private var search: CredentialSearch { CredentialSearch(invocation) }

  init(_ invocation: Invocation, tool: String) {
    self.invocation = invocation
    self.tool = tool
  }

  /// The outcome of a request. Every error becomes one.
  func outcome(of request: CredentialRequest) -> CredentialOutcome {
    do {
      switch request {
      case .find(let query): return try find(query)
      case .store(let credential):
        try store(credential)
        return .done
      case .erase(let query, let secret): return try erase(query, secret) ? .done : .notFound
      case .list: return .listed(try list())
      case .token(let query): return .found(try token(query))
      }
    } catch {
      let failure = Failure(invocation.refined(error))
      return .failed(
        CredentialFailure(
          failure.text, needsSignIn: failure.status == .signInNeeded))
    }
  }

  // MARK: Finding

  private func find(_ query: CredentialQuery) throws -> CredentialOutcome {
    guard
      let match = try CredentialSearch(invocation, at: query.address).match(query)
    else { return .notFound }
    explain(match, query)
    switch match.candidate {
    case .secret(let found): return .found(credential(found))
    case .token(let bound): return .found(try minted(bound, in: match.vault))
    }
  }

  private func credential(_ found: ServiceSecrets.Found) -> FoundCredential {
    var credential = FoundCredential(
      username: found.account.username, secret: found.secret.reveal())
    credential.expiresOn = found.expiresOn
    credential.isExpired = found.expiresOn.map { $0 <= invocation.now } ?? false
    credential.isBearer = found.form == .bearer
    credential.refreshToken = found.origin.refreshToken
    credential.address = HTTPURL(found.service.description)
    return credential
  }

  /// A token of the account that is valid now, renewed if need be.
  private func minted(
    _ bound: TokenCredentialAccount, in vault: GroupSession
  ) throws -> FoundCredential {
    let result = try token(
      Self.request(bound.scopes), of: .known(bound.account), in: vault)
    var credential = FoundCredential(
      username: bound.username, secret: result.accessToken.reveal())
    credential.expiresOn = result.expiresOn
    credential.isAccessToken = true
    credential.isBearer = bound.isBearer
    return credential
  }

  private func token(_ query: TokenQuery) throws -> FoundCredential {
    // The tenant of a subscription is known to the Azure CLI alone, and a token of another one would be
    // refused, or worse, accepted.
    guard query.subscription == nil || query.tenant != nil else { throw Failure.subscription }
    var chosen = invocation
    chosen.options.account = query.account ?? invocation.options.account
    if chosen.options.account == nil, let username = query.username {
      chosen.options.account = username
      chosen.options.overrulesDenials = false
    }
    chosen.options.seek(
      TokenRequest(
        scopes: ScopeSet(query.scopes), resource: query.resource, tenantID: query.tenant))
    chosen.options.audiences += query.audiences
    if let address = query.address { chosen.options.address = address }
    let (selection, vault) = try chosen.selectedAccount()
    var request = Self.request(query.scopes)
    request.resource = query.resource ?? request.resource
    request.clientID = query.clientID
    request.tenantID = query.tenant
    let result = try token(
      request, of: selection.account, in: vault, claims: query.claims)
    guard !result.isRefreshToken else {
      throw VaultError.secretNotSendable(as: result.tokenType)
    }
    var credential = FoundCredential(
      username: result.account.username, secret: result.accessToken.reveal())
    credential.expiresOn = result.expiresOn
    credential.isAccessToken = result.account.authorityType != .secret
    credential.isBearer = true
    if query.needsIDToken {
      credential.idToken = try TokenCompletion(session: vault)
        .idToken(with: result, client: query.clientID)
        .map { Redacted(Array($0.reveal().utf8)) }
    }
    credential.tenantID = result.realm.isEmpty ? nil : result.realm
    return credential
  }

  /// The only scope `RESOURCE/.default` stands for whatever was granted for the resource, so that a
  /// stored token serves it.
  private static func request(_ scopes: [String]) -> TokenRequest {
    guard scopes.count == 1, scopes[0].hasSuffix("/.default") else {
      return TokenRequest(scopes: ScopeSet(scopes))
    }
    return TokenRequest(
      scopes: ScopeSet([]), resource: String(scopes[0].dropLast("/.default".count)))
  }

  private func token(
    _ request: TokenRequest, of reference: AccountReference, in vault: GroupSession,
    claims: String? = nil
  ) throws -> TokenResult {
    // A tool shows standard error as its own, so progress is left out.
    let acquisition = invocation.acquisition(in: vault) { _ in }
    var options = SilentOptions()
    options.claims = try Invocation.claims(claims)
    return try SignInCommandLine(request, claims: claims).suggested(in: vault, of: reference) {
      try acquisition.silent(request, of: reference, options)
    }
  }

  // MARK: Changing

  /// Git stores each credential that has worked, also those that it has from here. They are left as
  /// they are: a token of a provider must not become a secret of its own, and a secret that a search
  /// would find needs no second place.
  private func store(_ credential: NewCredential) throws {
    guard let service = ServiceURL(credential.place.address) else {
      throw Failure.placeNotStorable(credential.place.address)
    }
    // Some tools have tokens without a user name.
    let username = credential.place.username ?? tool
    for vault in try search.vaults() where try has(credential, as: username, in: vault) { return }
    let selection = try invocation.selectGroupOfSecrets()
    let secrets = ServiceSecrets(try invocation.vault(of: selection))
    let (account, _, _) = try secrets.store(
      credential.secret, service: service, username: username, expiresOn: credential.expiresOn,
      from: SecretOrigin(tool: tool, refreshToken: credential.refreshToken))
    guard keepsOne else { return }
    let former = try secrets.all(at: service)
      .filter { $0.origin.tool == tool && $0.account.identity != account.identity }
    if !former.isEmpty { try secrets.remove(former.map(\.account)) }
  }

  /// Whether a later request would be answered with the credential without storing it.
  private func has(
    _ credential: NewCredential, as username: String, in vault: GroupSession
  ) throws -> Bool {
    let known = try ServiceSecrets(vault)
      .covering(credential.place.address, username: username)
    if known.contains(where: { found in
      ConstantTime.equal(found.secret.reveal(), credential.secret.reveal())
        && found.expiresOn == credential.expiresOn ?? found.expiresOn
    }) {
      return true
    }
    // The fixed user name of a provider comes with its tokens only, perhaps with a former one.
    return try vault.accounts(withTokensFor: credential.place.address).contains { bound in
      try bound.username == username
        || AccessTokenRemoval(vault).isStored(credential.secret, of: bound.account)
    }
  }

  /// Whether the tool knows one credential for each place, without a user name, so that a new one
  /// replaces it.
  private var keepsOne: Bool { ["docker", "cargo", "terraform"].contains(tool) }

  /// Removes the very credential that the tool names: a stored secret as a whole, of a provider only
  /// the access token. A server's refusal does not sign anybody out.
  private func erase(_ query: CredentialQuery, _ secret: Redacted<[UInt8]>?) throws -> Bool {
    for vault in try search.vaults() {
      let secrets = ServiceSecrets(vault)
      var found: [ServiceSecrets.Found]
      if let secret {
        found = try secrets.covering(query.address, username: query.username)
          .filter { ConstantTime.equal($0.secret.reveal(), secret.reveal()) }
      } else {
        guard let service = ServiceURL(query.address) else { return false }
        // Without a user name, the tool means its own.
        found = try secrets.all(at: service)
          .filter { secret in
            !secret.isRefreshToken
              && (query.username.map { $0 == secret.account.username }
                ?? (secret.origin.tool == tool))
          }
      }
      if !found.isEmpty {
        return try secrets.remove(found.map(\.account))
      }
      guard let secret else { continue }
      for bound in try vault.accounts(withTokensFor: query.address)
      where try AccessTokenRemoval(vault).run(secret, of: bound.account) {
        return true
      }
    }
    return false
  }

  private func list() throws -> [ListedCredential] {
    try search.vaults().flatMap { try ServiceSecrets($0).all(from: tool) }
      .map { ListedCredential(address: $0.service.description, username: $0.account.username) }
  }

  // MARK: Explaining

  private func explain(_ match: CredentialSearch.Match, _ query: CredentialQuery) {
    guard invocation.options.isVerbose else { return }
    let account = PlainText.escaped(match.candidate.account.shownName)
    invocation.tell(
      "tokenvault: \(account) for \(query.address.origin), from the group \(match.vault.group): "
        + match.reason.text)
  }
}

extension CredentialSearch.Reason {
  /// Why the account was chosen.
  var text: String {
    switch self {
    case .selected(let rule): rule.reason(isAccount: true)
    case .username: "the account of that user name"
    case .only: "the only credential for the host"
    case .current: "the group's current account"
    }
  }
}
