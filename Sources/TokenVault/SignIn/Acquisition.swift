package import TokenVaultSignIn

/// Requests tokens from a provider and stores them. It blocks, and serves one request of one
/// application at a time. It verifies, then stores, then returns.
package struct Acquisition {
  package let session: GroupSession
  package let directory: ProviderDirectory
  package let keys: ProviderKeys
  package let platform: SignInPlatform
  package let cancellation: Cancellation
  package let report: @Sendable (SignInEvent) -> Void
  /// How long a call tries to store a refresh token that the group does not accept. A command tries
  /// for a minute, because the token ends with its process. In a library, every later call of the
  /// process tries again.
  package var storingMilliseconds = 0

  package init(
    _ session: GroupSession, directory: ProviderDirectory, keys: ProviderKeys,
    platform: SignInPlatform,
    _ cancellation: Cancellation, report: @escaping @Sendable (SignInEvent) -> Void
  ) {
    self.session = session
    self.directory = directory
    self.keys = keys
    self.platform = platform
    self.cancellation = cancellation
    self.report = report
  }

  /// An acquisition that shares no metadata or keys with another one.
  package init(
    _ session: GroupSession, platform: SignInPlatform,
    _ cancellation: Cancellation = Cancellation(),
    report: @escaping @Sendable (SignInEvent) -> Void = { _ in }
  ) {
    self.init(
      session, directory: ProviderDirectory(transport: platform.transport),
      keys: ProviderKeys(transport: platform.transport), platform: platform, cancellation,
      report: report)
  }

  /// Runs `body` with a limit for all of its waits together: for the provider, and for the user. The
  /// limit does not end a request that may end with new tokens (``TokenEndpoint/completing``).
  /// - Throws: ``SignInError/timedOut`` if it was reached.
  func limited<Result>(
    _ milliseconds: Int?, _ body: (Acquisition) throws -> Result
  ) throws -> Result {
    guard let milliseconds else { return try body(self) }
    let limit = Cancellation(following: cancellation, limitMilliseconds: milliseconds)
    var acquisition = Acquisition(
      session, directory: directory, keys: keys, platform: platform, limit, report: report)
    acquisition.storingMilliseconds = storingMilliseconds
    do { return try body(acquisition) } catch SignInError.cancelled where limit.isTimedOut {
      throw SignInError.timedOut
    }
  }

  /// The provider's endpoints. If its description and its discovery document lack the endpoint `needed`,
  /// its authorization server metadata is read as well.
  /// - Throws: ``SignInError``; ``VaultError/badManifest(path:fault:)`` if a provider file cannot be
  ///   used.
  func endpoint(
    _ application: ApplicationConfiguration, at authority: Authority, correlationID: String,
    needing needed: KeyPath<ProviderMetadata, HTTPURL?>? = nil
  ) throws -> TokenEndpoint {
    let provider = try application.provider ?? session.provider(of: authority)
    return try endpoint(
      application, at: authority, describedBy: provider, correlationID: correlationID,
      needing: needed)
  }

  /// The endpoints of a provider with this description, or with its discovery document alone.
  func endpoint(
    _ application: ApplicationConfiguration, at authority: Authority,
    describedBy provider: ProviderDescription?, correlationID: String,
    needing needed: KeyPath<ProviderMetadata, HTTPURL?>? = nil
  ) throws -> TokenEndpoint {
    report(.contacting(host: authority.environment))
    let metadata = try directory.metadata(
      of: authority, describedBy: provider, needing: needed, cancellation)
    return TokenEndpoint(
      application, at: metadata, transport: platform.transport,
      correlationID: correlationID.isEmpty ? try CorrelationID.make() : correlationID, cancellation)
  }
}
