import ArgumentParser
import TokenVault
import TokenVaultModel

struct TokenCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Print a valid access token, or a stored secret.",
    discussion: """
      The token is written to standard output and nowhere else; with --clip, only to the clipboard, \
      for 45 seconds. If the stored token has expired, or \
      a new one is requested, the provider is asked for it. The command exits with status 4 if user \
      interaction is required, and standard error names the sign-in command.

      EXAMPLES
        tokenvault token --scope User.Read
        tokenvault token --resource https://graph.microsoft.com --json
        tokenvault token --account work --min-validity 15m
        tokenvault token --service git.example.com
        tokenvault token --service git.example.com --clip
      """)

  @OptionGroup var choice: AccountOption
  @Option(help: "A scope the token must have; may be repeated.")
  var scope: [String] = []
  @Option(help: "A resource instead of scopes.")
  var resource: String?
  @Option(help: "The client the token was issued to. Default: any client of the group.")
  var clientId: String?
  @Option(help: "The tenant the token is for. Default: the account's home tenant.")
  var tenant: String?
  @Option(
    help: """
      How long the token must still be valid, as in 90s, 5m or 8h. Default: 5m, but at most a \
      fifth of the token's own lifetime.
      """)
  var minValidity: String?
  @Flag(help: "Ask the provider for a new token even if a stored one is valid.")
  var forceRefresh = false
  @Option(help: "A claims request in JSON, for claims that a new token must have.")
  var claims: String?
  @Flag(
    help: "While the provider is unavailable, accept an expired token within its extended lifetime."
  )
  var extendedLifetime = false
  @Flag(
    help: """
      Put the token on the clipboard instead of printing it. The command runs until it has cleared \
      the clipboard again; Ctrl-C clears it at once.
      """)
  var clip = false
  @Option(
    help: "With --clip: when to clear the clipboard, as in 20s or 2m. Default: 45s.")
  var clearAfter: String?
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func validate() throws {
    if resource != nil, !scope.isEmpty {
      throw ValidationError("--scope and --resource cannot be combined.")
    }
    if clip, global.json { throw ValidationError("--clip and --json cannot be combined.") }
    if clearAfter != nil, !clip { throw ValidationError("--clear-after needs --clip.") }
  }

  func run(in invocation: Invocation) throws {
    var invocation = invocation
    choice.apply(to: &invocation)
    let validity = try minValidity.map { text throws(CommandError) in
      guard let validity = Duration(text) else { throw .badDuration(text) }
      return validity
    }
    let showing = try ClipboardShowing(clip, clearAfter, invocation)
    var options = SilentOptions()
    options.claims = try Invocation.claims(claims)
    options.forceRefresh = forceRefresh
    options.extendedLifetime = extendedLifetime
    let request = TokenRequest(
      scopes: ScopeSet(target: scope.joined(separator: " ")), resource: resource,
      clientID: clientId, tenantID: tenant, minimumValidity: validity?.seconds)
    invocation.options.seek(request)
    let (selection, core) = try invocation.selectedAccount()
    let acquisition = invocation.acquisition(
      in: core, report: SignInProgress(invocation).tell)
    var line = SignInCommandLine(request, claims: claims)
    line.hasDefaultClient = { [invocation] in invocation.hasDefaultClient }
    let result = try line.suggested(in: core, of: selection.account) {
      try acquisition.silent(request, of: selection.account, options)
    }
    if result.isExtendedLifetime {
      invocation.tell(
        "The provider is unavailable: this token expires sooner than requested or has expired.")
    }
    if let showing { return try showing.show(result, in: invocation) }
    try invocation.answer(token: result)
  }
}
