import TokenVault
import TokenVaultModel
import TokenVaultSignIn

/// The parameters of a sign-in.
struct SignInOrder: Hashable, Sendable {
  /// The account to sign in again; nil for any account.
  var account: Account?
  var clientID = ""
  var authority = ""
  var scopes = ""
  var loginHint = ""
  var usesDeviceCode = false
  /// The page that the provider shows; nil for the account picker if the group has an account, and
  /// otherwise for the page that the provider finds necessary.
  var prompt: Prompt?

  /// The prompts to choose from, in order.
  static let prompts: [Prompt?] = [nil, .selectAccount, .login, .consent, .create]

  mutating func choosePrompt(_ step: Int) {
    let place = Self.prompts.firstIndex(of: prompt) ?? 0
    prompt = Self.prompts[(place + step + Self.prompts.count) % Self.prompts.count]
  }

  var promptText: String {
    switch prompt {
    case nil, .ifNecessary: "automatic"
    case .selectAccount: "choose an account"
    case .login: "enter the password"
    case .consent: "consent again"
    case .create: "create an account"
    }
  }
}

extension SignInOrder {
  /// The initial values: from the account, else from the configuration file.
  init(_ known: Account?, _ core: GroupSession, _ invocation: Invocation) throws {
    let known = try known.map { try core.storedSignIn(.known($0)) }
    let defaults = try invocation.configurationFile.flatMap { try UserConfiguration.read($0) }?
      .signIn
    account = known?.account
    clientID = known?.clientID ?? known?.clientIDs.first ?? defaults?.clientID ?? ""
    authority = known?.authority?.url ?? defaults?.authority ?? ""
    let before = known?.scopes ?? ScopeSet([])
    scopes = before.isEmpty ? (defaults?.scopes ?? []).joined(separator: " ") : "\(before)"
    loginHint = known?.account.username ?? ""
    usesDeviceCode = !["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"]
      .contains { invocation.environment[$0] != nil }
    if let authority = known?.authority,
      try core.provider(of: authority)?.prefersDeviceCode == true
    {
      usesDeviceCode = true
    }
  }
}
