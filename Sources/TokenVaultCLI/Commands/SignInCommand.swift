import ArgumentParser
import TokenVaultSignIn
import TokenVault
import TokenVaultModel

struct SignInCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-in",
    abstract: "Sign in through the browser, or with a code on another device.",
    discussion: """
      The account becomes the group's current account. If the group already has an account of the \
      same client and provider, and no account is named, the provider is asked for its account \
      picker, so that the browser's session does not sign in the same person again; --prompt \
      overrides this. On a shared device the first sign-in after a sign-out asks for the password. \
      Missing options are taken from the named \
      account, else from "signIn" in $XDG_CONFIG_HOME/tokenvault/config.json: {"clientId", \
      "authority", "scopes", "redirectUri", "revocationEndsTokenAlone"}. Without a desktop the URL of the sign-in page is \
      printed: open it in a browser on this machine, or use --device-code with a browser anywhere.

      PROVIDERS
        microsoft [TENANT], github, gitlab [URL], google, forgejo URL, oidc URL, and those of your own \
      provider files, $XDG_CONFIG_HOME/tokenvault/providers/NAME.json. A provider needs a client id \
      of your own once; without one, the command says where to get it. An account whose user name or \
      alias is exactly the name of a provider is signed in again instead. At github, a code on \
      another device is used, unless --browser is given.

      EXAMPLES
        tokenvault sign-in microsoft --client-id ID
        tokenvault sign-in github
        tokenvault sign-in forgejo https://git.example.com --client-id ID
        tokenvault sign-in --client-id ID --device-code \\
            --authority https://id.example.com
        tokenvault sign-in ada@contoso.example --prompt login
        tokenvault sign-in --client-id ID --scope Mail.Read --admin-consent \\
            --authority https://login.microsoftonline.com/contoso.onmicrosoft.com
      """,
    aliases: ["login"])

  @Argument(
    help: ArgumentHelp(
      "A provider known by name, or an account to sign in again. \(AccountOption.forms)",
      valueName: "provider-or-account"),
    completion: .custom { words, _, _ in
      Completions.providers() + Completions.accounts(words)
    })
  var known: String?
  @Argument(help: "The URL of a provider that is installed in many places, such as forgejo.")
  var url: String?
  @Option(
    help: ArgumentHelp("The same account, as an option.", valueName: "account"),
    completion: .custom { words, _, _ in Completions.accounts(words) })
  var account: String?
  @Option(help: "The client id of the application.")
  var clientId: String?
  @Option(help: "The provider: a Microsoft authority or an OpenID Connect issuer.")
  var authority: String?
  @Option(help: "A scope the token must have; may be repeated.")
  var scope: [String] = []
  @Option(help: "Another scope to consent to during this sign-in; may be repeated.")
  var extraScope: [String] = []
  @Option(
    help: ArgumentHelp(
      "The page the provider shows: select_account, login, consent, create, or if_necessary.",
      discussion: "Default: select_account if the group has an account already, else if_necessary.")
  )
  var prompt: PromptWord?
  @Option(help: "The user name to fill in on the sign-in page.")
  var loginHint: String?
  @Option(help: "The user's domain, which skips the provider's account discovery.")
  var domainHint: String?
  @Option(help: "A claims request in JSON, for claims that the tokens must have.")
  var claims: String?
  @Flag(help: "Sign in on another device, with a code.")
  var deviceCode = false
  @Flag(
    help: ArgumentHelp(
      "Open the page on which an administrator consents for all users of the organization.",
      discussion: "Microsoft Entra only. No account is signed in."))
  var adminConsent = false
  @Option(
    help: "The redirect URI: a loopback address or a private-use scheme.")
  var redirectUri: String?
  @Option(
    help: ArgumentHelp(
      "The browser command; %s is replaced by the URL. Default: BROWSER, xdg-open. Empty: print the "
        + "URL.",
      valueName: "command"))
  var browser: String?
  @Option(
    help: ArgumentHelp(
      "How long the sign-in may take, as in 90s or 5m. Default: 5m, and with --device-code until the "
        + "code expires."))
  var timeout: String?
  @OptionGroup(title: "Global options") var global: GlobalOptions

  enum PromptWord: String, ExpressibleByArgument, CaseIterable {
    case selectAccount = "select_account"
    case login, consent, create
    case ifNecessary = "if_necessary"

    var prompt: Prompt {
      switch self {
      case .selectAccount: .selectAccount
      case .login: .login
      case .consent: .consent
      case .create: .create
      case .ifNecessary: .ifNecessary
      }
    }
  }

  func validate() throws {
    if known != nil, account != nil {
      throw ValidationError("The account is given twice.")
    }
    let forBrowser: [(String, Bool)] = [
      ("--prompt", prompt != nil), ("--login-hint", loginHint != nil),
      ("--domain-hint", domainHint != nil), ("--redirect-uri", redirectUri != nil),
      ("--browser", browser != nil), ("--extra-scope", !extraScope.isEmpty),
    ]
    if adminConsent,
      let other = (forBrowser + [("--device-code", deviceCode)]).first(where: {
        $0.1 && !["--redirect-uri", "--browser", "--extra-scope"].contains($0.0)
      })
    {
      throw ValidationError("--admin-consent and \(other.0) cannot be combined.")
    }
    if deviceCode, let other = forBrowser.first(where: \.1) {
      throw ValidationError("--device-code and \(other.0) cannot be combined.")
    }
  }

  func run(in invocation: Invocation) throws {
    let given = timeout ?? "5m"
    guard let patience = Duration(given), patience.seconds > 0 else {
      throw CommandError.badDuration(given)
    }
    let claims = try Invocation.claims(claims)
    try invocation.requireBrowser(browser)
    let selection = try invocation.select(needsAccount: false)
    invocation.explain(selection)
    let core = try invocation.vault(of: selection)
    let named = try SignInProvider(known, url: url, in: core).provider
    if named != nil, authority != nil {
      throw CommandError.optionsExclude("--authority", "the name of a provider")
    }
    let again = named == nil ? try storedSignIn(core) : nil
    let terms = try SignInTerms(
      SignInTerms.Given(
        clientID: clientId, authority: authority, scopes: scope, redirectURI: redirectUri,
        provider: named),
      again, core, in: invocation)
    let deviceCode = usesDeviceCode(terms)
    let isNew = try isNew(core)
    let acquisition = invocation.acquisition(
      in: core, browser: browser,
      report: SignInProgress(invocation, patience: deviceCode ? timeout ?? "" : given).tell)
    if adminConsent {
      return try consent(terms, acquisition, patience, in: invocation)
    }
    let result = try sayingWhatIsStored(patience) {
      guard !deviceCode else {
        return try acquisition.deviceCode(
          terms.scopes, claims: claims, account: again?.account.homeAccountID,
          limitMilliseconds: timeout == nil ? nil : Int(patience.seconds) * 1000,
          terms.application, makesCurrent: true)
      }
      try invocation.register(terms.application.redirectURI)
      return try acquisition.interactive(
        request(terms, claims, again, patience), terms.application, makesCurrent: true)
    }
    invocation.tellOfNewGroup(isNew, selection.group)
    if global.json {
      return try invocation.answerJSON {
        result.account.write(to: &$0, signedInAgain: result.isSignedInAgain)
      }
    }
    try invocation.answer(
      "signed in\(result.isSignedInAgain ? " again" : "")"
        + "  \(PlainText.escaped(result.account.shownName))  to \(selection.group) "
        + "(current account)")
    if result.isSignedInAgain, again == nil, prompt == nil, !deviceCode {
      invocation.tell(
        "The group had this account already. To sign in with another one, add --prompt login.")
    }
  }

  /// A provider's file may prefer a code; an option for the browser chooses the browser.
  private func usesDeviceCode(_ terms: SignInTerms) -> Bool {
    let wantsBrowser = browser != nil || prompt != nil || redirectUri != nil || adminConsent
    return deviceCode || (terms.provider?.prefersDeviceCode == true && !wantsBrowser)
  }

  /// Without a response of the provider, nothing is stored.
  private func sayingWhatIsStored(
    _ patience: Duration, _ body: () throws -> TokenResult
  ) throws -> TokenResult {
    do { return try body() } catch VaultError.signIn(let error) {
      let failure = Failure(VaultError.signIn(error) as any Error)
      switch error {
      case .timedOut:
        throw Failure(
          failure.status,
          "The sign-in was not finished within \(patience.text); nothing was stored.",
          next: Failure.again(), code: failure.code)
      case .badDiscovery where failure.status == .provider:
        throw Failure(
          failure.status, failure.message, next: Failure.again(otherPlace), code: failure.code)
      default: throw VaultError.signIn(error)
      }
    }
  }

  /// The end of "run the command again": what to change if no provider is at the address.
  private var otherPlace: String {
    if authority != nil { return "with another --authority" }
    return url != nil ? "with another URL of the provider" : "later"
  }

  private func storedSignIn(_ core: GroupSession) throws -> StoredSignIn? {
    guard let name = known ?? account else { return nil }
    let stored: StoredSignIn
    do {
      stored = try core.storedSignIn(AccountReference(parsing: name), client: clientId)
    } catch {
      // The word may stand for a provider as well.
      guard error.isAboutMissingAccount, name == known, !name.contains("@") else { throw error }
      throw CommandError.noProvider(
        name, resembling: try SignInProvider.resembling(name, core.configuration.providers))
    }
    guard stored.account.authorityType != .secret else {
      throw CommandError.secretHasNoSignIn(stored.account)
    }
    return stored
  }

  /// Whether the sign-in will create the group. A group that cannot be opened fails here, before the
  /// user signs in.
  private func isNew(_ core: GroupSession) throws(VaultError) -> Bool {
    do {
      try core.read { _ in }
      return false
    } catch .noGroup { return true }
  }

  private func request(
    _ terms: SignInTerms, _ claims: ClaimsRequest?, _ again: StoredSignIn?, _ patience: Duration
  ) -> InteractiveRequest {
    var request = InteractiveRequest(scopes: terms.scopes)
    request.prompt = prompt?.prompt ?? .ifNecessary
    request.offersAccountPicker = prompt == nil
    request.loginHint = loginHint ?? again?.account.username ?? ""
    request.domainHint = domainHint ?? ""
    request.extraScopesToConsent = ScopeSet(target: extraScope.joined(separator: " "))
    request.claims = claims
    request.account = again?.account.homeAccountID
    request.deadlineMilliseconds = Int(patience.seconds) * 1000
    return request
  }
}

extension VaultError {
  /// Whether no account has the name, because there is none with it or none at all.
  fileprivate var isAboutMissingAccount: Bool {
    switch self {
    case .noAccount, .noGroup: true
    default: false
    }
  }
}
