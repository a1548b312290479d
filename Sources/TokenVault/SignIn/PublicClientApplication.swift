import Dispatch
public import TokenVaultSignIn
import Synchronization
import TokenVaultCrypto
public import TokenVaultModel

/// An application that signs users in and gets tokens for them, with a keychain group as its cache
/// (MSAL's MSALPublicClientApplication).
///
/// One object serves several clouds, tenants and accounts. Its methods may be called from any task;
/// those that wait for a provider or a user wait on a thread of their own. They throw
/// ``VaultError/signIn(_:)`` for errors of the provider or the network, and otherwise as ``Vault``
/// does.
public final class PublicClientApplication: Sendable {
  /// The configuration of the application. Later changes to the value passed to the initialiser
  /// have no effect.
  public let configuration: ApplicationConfiguration
  /// The group, with its accounts, current account and changes.
  public let vault: Vault
  private let platform: SignInPlatform
  private let directory: ProviderDirectory
  private let keys: ProviderKeys
  private let log: SignInLog?
  private let session = Mutex<Cancellation?>(nil)
  private let listeners = Mutex<[UInt64: AsyncStream<SignInEvent>.Continuation]>([:])
  private let nextListener = Atomic<UInt64>(0)

  /// Creates an application over the group of `vault`, with every setting of `configuration`.
  /// `platform` supplies HTTP, the browser and the redirect listener; `log` receives messages.
  ///
  /// ```swift
  /// let authority = try Authority("https://login.microsoftonline.com/common")
  /// var configuration = ApplicationConfiguration(
  ///   clientID: "11111111-2222-3333-4444-555555555555", authority: authority)
  /// configuration.clientCapabilities = ["CP1"]
  /// let app = PublicClientApplication(configuration, vault: try .process())
  /// ```
  public init(
    _ configuration: ApplicationConfiguration, vault: VaultConfiguration,
    platform: SignInPlatform = .system, log: SignInLog? = nil
  ) {
    self.configuration = configuration
    self.log = log
    var platform = platform
    if let log { platform.transport = log.wrapping(platform.transport) }
    self.platform = platform
    self.vault = Vault(vault)
    directory = ProviderDirectory(transport: platform.transport)
    keys = ProviderKeys(transport: platform.transport)
  }

  /// Creates an application over the group of `vault`; the URL `authority` names the provider that
  /// signs users in.
  ///
  /// ```swift
  /// let app = try PublicClientApplication(
  ///   clientID: "11111111-2222-3333-4444-555555555555",
  ///   authority: "https://login.microsoftonline.com/common", vault: .process())
  /// ```
  ///
  /// The redirect URI is the one that the provider expects of native applications:
  /// `http://localhost` for Microsoft, `http://127.0.0.1/` for others.
  /// - Throws: ``VaultError/signIn(_:)`` if `authority` is not a valid authority.
  public convenience init(
    clientID: String, authority: String, vault: VaultConfiguration,
    platform: SignInPlatform = .system
  ) throws(VaultError) {
    let configuration: ApplicationConfiguration
    do {
      configuration = ApplicationConfiguration(
        clientID: clientID, authority: try Authority(authority))
    } catch { throw .signIn(error) }
    self.init(configuration, vault: vault, platform: platform)
  }

  /// The version of this library.
  public static let version = "0.1.0"

  // MARK: Tokens

  /// Signs a user in through the browser (RFC 8252) and stores the account.
  ///
  /// ```swift
  /// var request = InteractiveRequest(scopes: "User.Read")
  /// request.prompt = .selectAccount
  /// let token = try await app.acquireToken(interactive: request)
  /// ```
  ///
  /// - Throws: ``VaultError/signIn(_:)`` with ``SignInError/sessionAlreadyRunning`` while another
  ///   interactive call of this application is running, ``SignInError/timedOut`` after the
  ///   request's deadline, or ``SignInError/declinedScopes(granted:declined:)``, after which the
  ///   account is signed in and stored nevertheless.
  public func acquireToken(
    interactive request: InteractiveRequest
  ) async throws(VaultError) -> TokenResult {
    let application = configuration
    try requireKnown(request.authority)
    return try await logged("interactive") { () throws(VaultError) in
      let scheme = request.authenticationScheme
      return try await exclusively { acquisition throws(VaultError) in
        try acquisition.presented(
          try acquisition.interactive(request, application, isBound: scheme != .bearer), scheme,
          application)
      }
    }
  }

  /// Signs a user in on another device (RFC 8628) and stores the account. ``events`` reports the
  /// code that the user has to enter there.
  ///
  /// ```swift
  /// Task { [events = app.events] in
  ///   for await case .waitingForDevice(let code) in events {
  ///     print("Open \(code.verificationURI), enter \(code.userCode)")
  ///   }
  /// }
  /// let token = try await app.acquireToken(deviceCode: DeviceCodeRequest(scopes: "User.Read"))
  /// ```
  ///
  /// - Throws: As ``acquireToken(interactive:)``; ``VaultError/signIn(_:)`` with
  ///   ``SignInError/deviceCodeExpired`` if the code expired before the user entered it.
  public func acquireToken(
    deviceCode request: DeviceCodeRequest
  ) async throws(VaultError) -> TokenResult {
    let application = configuration
    return try await logged("device code") { () throws(VaultError) in
      let scheme = request.authenticationScheme
      return try await exclusively { acquisition throws(VaultError) in
        try acquisition.presented(
          try acquisition.deviceCode(
            request.scopes, claims: request.claims,
            extra: FormParameters(sorted: request.extraParameters),
            correlationID: request.correlationID, application, isBound: scheme != .bearer), scheme,
          application)
      }
    }
  }

  /// A token without user interaction: from the cache, otherwise from a refresh that a single
  /// process performs for all.
  ///
  /// ```swift
  /// let token: TokenResult
  /// let request = SilentRequest(scopes: "User.Read", account: account)
  /// do { token = try await app.acquireTokenSilent(request) } catch .interactionRequired {
  ///   token = try await app.acquireToken(interactive: InteractiveRequest(scopes: "User.Read"))
  /// }
  /// ```
  ///
  /// - Throws: ``VaultError/interactionRequired(_:account:group:)`` with the reason, which every
  ///   application has to handle; ``VaultError/signIn(_:)`` with
  ///   ``SignInError/throttled(untilEpochSeconds:_:)`` while the provider is rate-limiting
  ///   requests.
  public nonisolated(nonsending) func acquireTokenSilent(
    _ request: SilentRequest
  ) async throws(VaultError) -> TokenResult {
    try await logged("silent") { () throws(VaultError) in try await silent(request) }
  }

  private nonisolated(nonsending) func silent(
    _ request: SilentRequest
  ) async throws(VaultError) -> TokenResult {
    try requireKnown(request.authority)
    var tokens = tokenRequest(request.scopes)
    tokens.authority = request.authority
    // The cache cannot serve a request whose tenant the provider has to resolve first.
    let authority = directory.resolvedIfKnown(request.authority ?? configuration.authority)
    let resolved = authority.map { authority in
      var resolved = tokens
      resolved.authority = authority
      return resolved
    }
    if let resolved, request.isForStoredToken {
      let wanted = ServedTokens.Request(
        token: resolved, account: request.account, hasIDToken: true)
      if let served = vault.session.servedAgain(wanted) { return served }
    }
    var options = silentOptions
    options.claims = request.claims
    options.forceRefresh = request.forceRefresh
    options.correlationID = request.correlationID
    options.extraParameters = request.extraParameters
    options.isBound = request.authenticationScheme != .bearer
    let account = AccountReference.known(request.account)
    let (wanted, chosen, scheme) = (tokens, options, request.authenticationScheme)
    if let resolved,
      let served = try await vault.servedSilently(resolved, of: request.account, options, scheme)
    {
      return served
    }
    return try await blocking(Cancellation()) { acquisition throws(VaultError) in
      try acquisition.presented(
        try acquisition.silent(wanted, of: account, chosen), scheme, self.configuration)
    }
  }

  /// Calls an API with a token of an account, which is refreshed if that is due. A response that
  /// requests claims (`WWW-Authenticate`, RFC 6750 section 3) is answered once, by a new token with
  /// those claims.
  ///
  /// ```swift
  /// var request = try APIRequest("GET", "https://graph.microsoft.com/v1.0/me")
  /// request.scopes = "User.Read"
  /// let response = try await app.call(request, for: account)
  /// print(response.status)
  /// ```
  ///
  /// The token is sent to the URL of the request and nowhere else. A redirect is returned like any
  /// other response, and so is an error of the API.
  /// - Throws: As ``acquireTokenSilent(_:)``; ``VaultError/signIn(_:)`` with
  ///   ``SignInError/transport(_:)`` if there was no response.
  public func call(
    _ request: APIRequest, for account: Account
  ) async throws(VaultError) -> HTTPResponse {
    var request = request
    request.token = tokenRequest(request.scopes)
    let isBound = request.isBound
    request.silent = silentOptions
    request.isBound = isBound
    let (chosen, reference) = (request, AccountReference.known(account))
    return try await blocking(Cancellation()) { acquisition throws(VaultError) in
      try acquisition.call(chosen, of: reference)
    }
  }

  private func tokenRequest(_ scopes: ScopeSet) -> TokenRequest {
    TokenRequest(
      scopes: scopes, clientID: configuration.clientID,
      minimumValidity: configuration.tokenExpirationBuffer)
  }

  private var silentOptions: SilentOptions {
    var options = SilentOptions()
    options.application = configuration
    options.extendedLifetime = configuration.extendedLifetimeEnabled
    return options
  }

  /// Cancels the running interactive or device sign-in.
  /// - Returns: Whether there was one.
  @discardableResult
  public func cancel() -> Bool {
    session.withLock { session in
      session?.cancel()
      return session != nil
    }
  }

  /// The progress of sign-ins from now on. Each call returns a new stream.
  public var events: AsyncStream<SignInEvent> {
    let id = nextListener.wrappingAdd(1, ordering: .relaxed).newValue
    return AsyncStream { continuation in
      listeners.withLock { $0[id] = continuation }
      continuation.onTermination = { [weak self] _ in
        self?.listeners.withLock { _ = $0.removeValue(forKey: id) }
      }
    }
  }

  // MARK: Accounts

  /// The accounts of the group, in a fixed order: as ``Vault/accounts(_:)``.
  public func accounts(_ query: AccountQuery = .all) async throws(VaultError) -> AccountListing {
    try await vault.accounts(query)
  }

  /// The current account, and the account last returned to this application.
  /// - Throws: ``VaultError/ambiguousCurrentAccount(candidates:group:)`` if there are several
  ///   candidates, or if the current account signed out and no other one was selected since.
  public func currentAccount() async throws(VaultError) -> CurrentAccount {
    try await vault.currentAccount(clientID: configuration.clientID)
  }

  /// Whether one person or several use the machine.
  public func deviceInformation() async throws(VaultError) -> DeviceInformation {
    try await vault.deviceInformation()
  }

  /// Erases this application's tokens of an account without contacting the provider. Other
  /// applications of the group keep theirs; if there is none, the account is erased as a whole.
  /// - Throws: ``VaultError/noAccount(_:group:)`` if the account is no longer in the group.
  @discardableResult
  public func remove(_ account: Account) async throws(VaultError) -> SignOutReport {
    try await vault.signOut([account], clientID: configuration.clientID)
  }

  /// Signs an account out. It is first erased from this machine, whether or not the network works;
  /// then its tokens are revoked at the provider. On a shared device the account is signed out for
  /// every application.
  ///
  /// ```swift
  /// var parameters = SignOutParameters()
  /// parameters.signOutFromBrowser = true
  /// let report = try await app.signOut(account, parameters)
  /// for entry in report.entries where !entry.isClean { print(entry.place.rawValue, entry.detail) }
  /// ```
  ///
  /// - Throws: ``VaultError/noAccount(_:group:)`` if the account is no longer in the group. A
  ///   failure at the provider is not thrown: the report has it.
  public func signOut(
    _ account: Account, _ parameters: SignOutParameters = SignOutParameters()
  ) async throws(VaultError) -> SignOutReport {
    var options = SignOutOptions()
    if !parameters.wipeAccount, !parameters.wipeCacheForAllAccounts {
      options.clientID = configuration.clientID
    }
    options.revokes = parameters.revokes
    options.endsBrowserSession = parameters.signOutFromBrowser
    options.extraParameters = FormParameters(sorted: parameters.extraParameters)
    let chosen = options
    let scope: Erasure.Scope =
      parameters.wipeCacheForAllAccounts ? .everything : .accounts([.known(account)])
    return try await blocking(Cancellation()) { acquisition throws(VaultError) in
      try Revocation(acquisition).signOut(scope, chosen)
    }
  }

  // MARK: Threads

  private func requireKnown(_ authority: Authority?) throws(VaultError) {
    if let authority, !configuration.admits(authority) { throw .signIn(.invalidAuthority) }
  }

  private nonisolated(nonsending) func logged(
    _ what: String, _ body: nonisolated(nonsending) () async throws(VaultError) -> TokenResult
  ) async throws(VaultError) -> TokenResult {
    guard let log else { return try await body() }
    do {
      let result = try await body()
      let source = result.isFromCache ? "from the cache" : "correlation \(result.correlationID)"
      log(result.isExtendedLifetime ? .warning : .info, "\(what): a token, \(source)")
      return result
    } catch {
      if case .interactionRequired = error {
        log(.warning, "\(what): \(error)")
      } else {
        log(.error, "\(what): \(error)")
      }
      throw error
    }
  }

  func exclusively<R: Sendable>(
    _ body: @escaping @Sendable (Acquisition) throws(VaultError) -> R
  ) async throws(VaultError) -> R {
    let cancellation = Cancellation()
    let isFree = session.withLock { session in
      guard session == nil else { return false }
      session = cancellation
      return true
    }
    guard isFree else { throw .signIn(.sessionAlreadyRunning) }
    defer { session.withLock { $0 = nil } }
    return try await blocking(cancellation, body)
  }

  private func blocking<R: Sendable>(
    _ cancellation: Cancellation,
    _ body: @escaping @Sendable (Acquisition) throws(VaultError) -> R
  ) async throws(VaultError) -> R {
    let result: Result<R, VaultError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // A separate queue: waiting for a user must not delay any other call.
        DispatchQueue(label: "dev.tokenvault.sign-in").async {
          continuation.resume(
            returning: Result { () throws(VaultError) in
              try body(self.acquisition(cancellation))
            })
        }
      }
    } onCancel: {
      cancellation.cancel()
    }
    return try result.get()
  }

  private func acquisition(_ cancellation: Cancellation) -> Acquisition {
    Acquisition(
      vault.session, directory: directory, keys: keys, platform: platform,
      cancellation
    ) { event in
      if case .requestRefused(let reason) = event, let log = self.log {
        log(.warning, "interactive: refused a request to the redirect listener: \(reason)")
      }
      self.listeners.withLock { $0.values.forEach { $0.yield(event) } }
    }
  }
}
