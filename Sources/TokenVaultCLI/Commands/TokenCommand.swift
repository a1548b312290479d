import ArgumentParser
package import TokenVault
import TokenVaultModel

struct TokenCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Print a valid access token, or a stored secret.",
    discussion: """
      The token goes to the standard output and nowhere else. Where the stored one has ended, or \
      a new one is asked for, the provider is asked for it; where that takes the user, the exit \
      status is 4 and the standard error names the sign-in to run.

      EXAMPLES
        tokenvault token --scope User.Read
        tokenvault token --resource https://graph.microsoft.com --json
        tokenvault token --account work --min-validity 15m
      """)

  @OptionGroup var choice: AccountOption
  @Option(help: "A scope the token must have; may be repeated.")
  var scope: [String] = []
  @Option(help: "A resource, in the place of scopes.")
  var resource: String?
  @Option(help: "The client it was issued to. Else any of the group's.")
  var clientId: String?
  @Option(help: "The tenant it is for. Else the account's home tenant.")
  var tenant: String?
  @Option(help: "How long it must still be valid: 90s, 5m, 8h.")
  var minValidity = "5m"
  @Flag(help: "Do not take a stored token: ask the provider for a new one.")
  var forceRefresh = false
  @Option(help: "What should be in a new token: a claims request in JSON.")
  var claims: String?
  @Flag(help: "While the provider is down, take an ended token for as long as it allows.")
  var extendedLifetime = false
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func validate() throws {
    if resource != nil, !scope.isEmpty {
      throw ValidationError("--scope and --resource exclude each other.")
    }
  }

  func run(in invocation: Invocation) throws {
    var invocation = invocation
    invocation.options.account = choice.account
    guard let validity = Duration(minValidity) else {
      throw CommandError.badDuration(minValidity)
    }
    var options = SilentOptions()
    options.claims = try Invocation.claims(claims)
    options.forceRefresh = forceRefresh
    options.extendedLifetime = extendedLifetime
    let request = TokenRequest(
      scopes: ScopeSet(target: scope.joined(separator: " ")), resource: resource,
      clientID: clientId, tenantID: tenant, minimumValidity: validity.seconds)
    let selection = try invocation.select()
    invocation.explain(selection)
    let core = try invocation.vault(of: selection)
    let acquisition = invocation.acquisition(
      in: core, report: SignInProgress(invocation).tell)
    let result = try SignInCommandLine(request, claims: claims).suggested(in: core) {
      try acquisition.silent(request, of: selection.account, options)
    }
    if result.isExtendedLifetime {
      invocation.tell("The provider is down: this token ends sooner than asked, or has ended.")
    }
    try invocation.answer(token: result)
  }
}

extension Invocation {
  /// Prints a token, bare or as JSON.
  package func answer(token result: TokenResult) throws(CommandError) {
    let secret = result.accessToken.reveal()
    guard options.isJSON else {
      // A cache or a service may hold anything in the place of a token.
      if answersToTerminal {
        let text = String(decoding: secret, as: UTF8.self)
        guard PlainText.escaped(text) == text else { throw .secretNotPrintable }
      }
      return try answer(secret + [UInt8(ascii: "\n")])
    }
    try answerJSON { writer in
      writer.object { writer in
        writer.field("accessToken", String(decoding: secret, as: UTF8.self))
        writer.field("tokenType", result.tokenType)
        writer.key("expiresOn")
        if let end = result.expiresOn { writer.string(end.iso8601) } else { writer.null() }
        writer.field("scopes", result.scopes.scopes)
        writer.key("account")
        result.account.write(to: &writer)
        writer.field("authority", result.authority)
        writer.field("fromCache", result.isFromCache)
      }
    }
  }
}
