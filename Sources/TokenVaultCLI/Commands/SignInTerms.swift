import TokenVaultSignIn
import TokenVault
import TokenVaultModel

/// With what an account is signed in: what the command says, else what the account was signed in
/// with before, else what the configuration file says.
struct SignInTerms {
  let application: ApplicationConfiguration
  let scopes: ScopeSet

  /// What the command says.
  struct Wishes {
    var clientID: String?
    var authority: String?
    var scopes: [String] = []
    var redirectURI: String?
  }

  init(_ wishes: Wishes, _ known: StoredSignIn?, in invocation: Invocation) throws {
    let path = invocation.configurationFile ?? "config.json"
    let defaults = try UserConfiguration.read(path)?.signIn
    if let known, known.clientID == nil, known.clientIDs.count > 1 {
      throw VaultError.clientRequired(stored: known.clientIDs, account: known.account)
    }
    guard let client = wishes.clientID ?? known?.clientID ?? defaults?.clientID else {
      throw CommandError.signInUnknown(.clientID, configuration: path)
    }
    guard let authority = try Self.authority(wishes, known, defaults) else {
      throw CommandError.signInUnknown(.authority, configuration: path)
    }
    let redirectURI = try Self.redirectURI(
      wishes.redirectURI ?? defaults?.redirectURI, authority)
    application = ApplicationConfiguration(
      clientID: client, authority: authority, redirectURI: redirectURI)
    let asked = ScopeSet(target: wishes.scopes.joined(separator: " "))
    let before = known?.scopes ?? ScopeSet([])
    scopes = !asked.isEmpty ? asked : !before.isEmpty ? before : ScopeSet(defaults?.scopes ?? [])
  }

  private static func authority(
    _ wishes: Wishes, _ known: StoredSignIn?, _ defaults: UserConfiguration.SignInDefaults?
  ) throws(VaultError) -> Authority? {
    do {
      if let text = wishes.authority { return try Authority(text) }
      if let before = known?.authority { return before }
      return try defaults?.authority.map { text throws(SignInError) in try Authority(text) }
    } catch { throw .signIn(error) }
  }

  /// Microsoft's providers know `http://localhost` of native applications, with any port, and the
  /// addresses only where somebody wrote them into the manifest; others follow RFC 8252 section 7.3.
  private static func redirectURI(
    _ text: String?, _ authority: Authority
  ) throws(VaultError) -> RedirectURI {
    do {
      if let text { return try RedirectURI(text) }
      return authority.isMicrosoft ? try RedirectURI("http://localhost") : .standard
    } catch { throw .signIn(error) }
  }
}

extension Invocation {
  /// Reads `--claims`.
  static func claims(_ text: String?) throws(CommandError) -> ClaimsRequest? {
    guard let text else { return nil }
    do { return try ClaimsRequest(json: text) } catch { throw .badClaims(text) }
  }
}
