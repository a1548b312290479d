import TokenVaultSignIn
import TokenVault
import TokenVaultModel

/// The parameters of a sign-in: from the command, else from the account's previous sign-in or the
/// provider that the command names, else from the configuration file.
struct SignInTerms {
  let application: ApplicationConfiguration
  let scopes: ScopeSet
  /// The description of the provider; nil if there is none.
  let provider: ProviderDescription?

  /// The parameters that the command gives.
  struct Given {
    var clientID: String?
    var authority: String?
    var scopes: [String] = []
    var redirectURI: String?
    var provider: ProviderDescription?
  }

  init(
    _ given: Given, _ known: StoredSignIn?, _ core: GroupSession, in invocation: Invocation
  ) throws {
    if let text = given.authority, let secured = SignInProvider.secured(text) {
      throw CommandError.notHTTPS(
        text, next: Failure.again("with --authority \(PlainText.shellWord(secured))"))
    }
    let path = invocation.configurationFile ?? "config.json"
    let configured = try UserConfiguration.read(path)?.signIn
    if let known, known.clientID == nil, known.clientIDs.count > 1 {
      throw VaultError.clientRequired(stored: known.clientIDs, account: known.account)
    }
    let defaults = Self.defaults(configured, for: given.provider)
    let named = try given.provider.flatMap { provider throws(VaultError) in
      try Self.clientID(of: provider, core)
    }
    guard let client = given.clientID ?? known?.clientID ?? named ?? defaults?.clientID else {
      if let provider = given.provider {
        throw CommandError.clientIDNeeded(
          ClientRegistration(provider, file: core.configuration.providers.path(provider.key)))
      }
      if given.authority == nil, known == nil, configured?.authority == nil {
        throw CommandError.noProviderNamed(configuration: path)
      }
      throw CommandError.signInUnknown(.clientID, configuration: path)
    }
    guard let authority = try Self.authority(given, known, defaults) else {
      throw CommandError.signInUnknown(.authority, configuration: path)
    }
    provider = try given.provider ?? core.provider(of: authority)
    let redirectURI = try Self.redirectURI(
      given.redirectURI ?? defaults?.redirectURI, provider, authority)
    var application = ApplicationConfiguration(
      clientID: client, authority: authority, redirectURI: redirectURI)
    application.revocationEndsTokenAlone = defaults?.revocationEndsTokenAlone ?? false
    application.provider = given.provider
    self.application = application
    let asked = ScopeSet(target: given.scopes.joined(separator: " "))
    let before = known?.scopes ?? ScopeSet(given.provider?.scopes ?? [])
    scopes = !asked.isEmpty ? asked : !before.isEmpty ? before : ScopeSet(defaults?.scopes ?? [])
  }

  /// The configured values are for one provider, and not used at another one.
  private static func defaults(
    _ configured: UserConfiguration.SignInDefaults?, for provider: ProviderDescription?
  ) -> UserConfiguration.SignInDefaults? {
    guard let provider else { return configured }
    guard let text = configured?.authority, let issuer = provider.issuer else { return nil }
    // absent is an answer: the configured values are then not used at this provider.
    do { return try Authority(text).isSameServer(as: issuer) ? configured : nil } catch {
      return nil
    }
  }

  /// The client id of the provider's file, or of the last sign-in at the provider.
  private static func clientID(
    of provider: ProviderDescription, _ core: GroupSession
  ) throws(VaultError) -> String? {
    if let client = provider.clientID { return client }
    return try provider.issuer.flatMap { issuer throws(VaultError) in
      try core.rememberedClient(of: issuer)
    }
  }

  private static func authority(
    _ given: Given, _ known: StoredSignIn?, _ defaults: UserConfiguration.SignInDefaults?
  ) throws(VaultError) -> Authority? {
    do {
      if let provider = given.provider { return provider.issuer }
      if let text = given.authority { return try Authority(text) }
      if let before = known?.authority { return before }
      return try defaults?.authority.map { text throws(SignInError) in try Authority(text) }
    } catch { throw .signIn(error) }
  }

  private static func redirectURI(
    _ text: String?, _ provider: ProviderDescription?, _ authority: Authority
  ) throws(VaultError) -> RedirectURI {
    do {
      if let text { return try RedirectURI(text) }
      return provider?.redirectURI ?? .standard(of: authority)
    } catch { throw .signIn(error) }
  }
}
