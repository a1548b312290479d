import TokenVaultSignIn
import TokenVault
import TokenVaultModel

/// The parameters of a sign-in: from the command, else from the account's previous sign-in, else
/// from the configuration file.
struct SignInTerms {
  let application: ApplicationConfiguration
  let scopes: ScopeSet

  /// The parameters that the command gives.
  struct Given {
    var clientID: String?
    var authority: String?
    var scopes: [String] = []
    var redirectURI: String?
  }

  init(_ given: Given, _ known: StoredSignIn?, in invocation: Invocation) throws {
    let path = invocation.configurationFile ?? "config.json"
    let defaults = try UserConfiguration.read(path)?.signIn
    if let known, known.clientID == nil, known.clientIDs.count > 1 {
      throw VaultError.clientRequired(stored: known.clientIDs, account: known.account)
    }
    guard let client = given.clientID ?? known?.clientID ?? defaults?.clientID else {
      throw CommandError.signInUnknown(.clientID, configuration: path)
    }
    guard let authority = try Self.authority(given, known, defaults) else {
      throw CommandError.signInUnknown(.authority, configuration: path)
    }
    let redirectURI = try Self.redirectURI(
      given.redirectURI ?? defaults?.redirectURI, authority)
    var application = ApplicationConfiguration(
      clientID: client, authority: authority, redirectURI: redirectURI)
    application.revocationEndsTokenAlone = defaults?.revocationEndsTokenAlone ?? false
    self.application = application
    let asked = ScopeSet(target: given.scopes.joined(separator: " "))
    let before = known?.scopes ?? ScopeSet([])
    scopes = !asked.isEmpty ? asked : !before.isEmpty ? before : ScopeSet(defaults?.scopes ?? [])
  }

  private static func authority(
    _ given: Given, _ known: StoredSignIn?, _ defaults: UserConfiguration.SignInDefaults?
  ) throws(VaultError) -> Authority? {
    do {
      if let text = given.authority { return try Authority(text) }
      if let before = known?.authority { return before }
      return try defaults?.authority.map { text throws(SignInError) in try Authority(text) }
    } catch { throw .signIn(error) }
  }

  private static func redirectURI(
    _ text: String?, _ authority: Authority
  ) throws(VaultError) -> RedirectURI {
    do {
      if let text { return try RedirectURI(text) }
      return .standard(of: authority)
    } catch { throw .signIn(error) }
  }
}
