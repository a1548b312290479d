import ArgumentParser
import TokenVaultSignIn
import TokenVault
import TokenVaultModel

struct RequestCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "request", abstract: "Call an API with the account's token.",
    discussion: """
      The token is for --scope or --resource, and is renewed if necessary. Without these, it is for \
      the URL's origin; an OpenID Connect provider other than Microsoft has no tokens for an origin, \
      and the account's stored token is sent. A stored secret is sent to its own service only: scheme, \
      host and port are the same, and the path is below that of the service. It is sent only to the URL, over https or on this machine: redirects are not \
      followed. The response is written to standard output, with JSON indented. A response with \
      status 400 or above is written too, and the exit status is 76. A claims challenge is \
      answered once.

      EXAMPLES
        tokenvault request GET https://graph.microsoft.com/v1.0/me
        tokenvault request GET https://graph.microsoft.com/v1.0/me/messages \\
            --all --scope Mail.Read
        tokenvault request GET https://git.example.com/api/user \\
            --service git.example.com
        tokenvault request POST https://api.example.com/items --data @item.json
      """)

  @Argument(help: "GET, POST, PATCH, PUT, DELETE…")
  var method: String
  @Argument(help: "An https URL, or an http one on this machine.")
  var url: String
  @OptionGroup var choice: AccountOption
  @Option(
    help: ArgumentHelp(
      "The body: a text, @FILE for the content of a file, or - for standard input.",
      valueName: "data"))
  var data: String?
  @Option(help: ArgumentHelp("A header field, as 'Name: value'; may be repeated."))
  var header: [String] = []
  @Option(help: "A scope the token must have; may be repeated.")
  var scope: [String] = []
  @Option(help: "A resource instead of scopes.")
  var resource: String?
  @Option(help: "The client the token was issued to. Default: any client of the group.")
  var clientId: String?
  @Option(help: "The tenant the token is for. Default: the account's home tenant.")
  var tenant: String?
  @Option(
    help: ArgumentHelp(
      "How a stored secret is sent: basic, with the user name, or bearer.",
      discussion:
        "Default: as it was added; otherwise bearer for a token of GitHub or GitLab and a "
        + "JSON Web Token, and basic for others, or as the service demands."))
  var auth: ServiceAuthentication?
  @Flag(
    help: ArgumentHelp(
      "Bind the token to a key, and sign the request with it (proof of possession).",
      discussion: "The key is kept in the group. The provider and the API must support it."))
  var pop = false
  @Option(
    help: ArgumentHelp(
      "How long to wait for a response of the API, such as 30s.", valueName: "duration"))
  var timeout = "2m"
  @Flag(help: "Follow @odata.nextLink to the last page, and print all values as one array.")
  var all = false
  @OptionGroup(title: "Global options") var global: GlobalOptions

  /// The largest body: 64 MiB.
  private static let limit = 64 << 20

  func validate() throws {
    if resource != nil, !scope.isEmpty {
      throw ValidationError("--scope and --resource cannot be combined.")
    }
    if all, method.uppercased() != "GET" { throw ValidationError("--all requires the method GET.") }
  }

  func run(in invocation: Invocation) throws {
    var invocation = invocation
    choice.apply(to: &invocation)
    var request = try request()
    invocation.options.seek(request.token)
    if invocation.options.audiences.isEmpty {
      invocation.options.audiences = [request.address.origin]
    }
    invocation.options.address = request.address
    let (selection, core) = try located(invocation, request.address)
    let holder = try core.account(selection.account)
    try requireApplicable(to: holder)
    let acquisition = invocation.acquisition(in: core, report: SignInProgress(invocation).tell)
    let account = selection.account
    request.token = try acquisition.tokenRequest(for: request, of: account)
    let chosen = request
    let response: HTTPResponse
    var line = SignInCommandLine(request.token, claims: nil)
    line.hasDefaultClient = { [invocation] in invocation.hasDefaultClient }
    if all {
      let pages = try naming(request.address) {
        try line.suggested(in: core, of: account) { try acquisition.pages(chosen, of: account) }
      }
      switch pages {
      case .all(let values):
        return try invocation.answer(
          JSONWriter.safeForTerminals(JSONValue.array(values).prettyBytes))
      case .other(let other): response = other
      }
    } else {
      response = try line.suggested(in: core, of: account) {
        try acquisition.call(chosen, of: account)
      }
    }
    try requireNoRedirect(response, request.address)
    try invocation.answer(shown(response.body, isForTerminal: invocation.answersToTerminal))
    guard response.status < 400 else {
      let isRefused = response.status == 401 && holder.service != nil
      throw Failure(
        .provider,
        "\(request.address.shownAuthority) answered \(response.status). Stored tokens are unchanged.",
        next: Failure.again(
          isRefused ? "with --auth basic or --auth bearer" : "after a look at the response above"),
        note: isRefused
          ? "or store a new secret: \(Failure.add(holder))" : nil,
        code: "requestRefused")
    }
  }

  /// The member of a page with the elements of a collection.
  private static let collection = "value"

  /// A page without it is the API's, not the provider's.
  private func naming(
    _ address: HTTPURL, _ body: () throws -> Acquisition.Pages
  ) throws -> Acquisition.Pages {
    do { return try body() } catch VaultError.signIn(.badAnswer(let fault))
      where fault == .field(Self.collection)
    {
      throw Failure(
        .provider,
        "\(address.shownAuthority) answered without the array \"\(Self.collection)\", which --all "
          + "collects. Stored tokens are unchanged.", next: Failure.again("without --all"),
        code: "notACollection")
    }
  }

  /// If no account is in force, the error names the stored secret of the URL's service.
  private func located(
    _ invocation: Invocation, _ address: HTTPURL
  ) throws -> Invocation.Located {
    do {
      let found = try invocation.selectedAccount()
      if case .current = found.selection.account { _ = try found.vault.account(.current) }
      return found
    } catch {
      let failure = Failure(invocation.refined(error))
      guard invocation.options.service == nil, invocation.options.account == nil,
        let service = storedService(for: address, invocation)
      else { throw error }
      let words = [method, url, "--service", service].map(PlainText.shellWord)
      throw Failure(
        failure.status, failure.message,
        next: "tokenvault request \(words.joined(separator: " "))", code: failure.code)
    }
  }

  private func storedService(for address: HTTPURL, _ invocation: Invocation) -> String? {
    // absent is an answer: the first error is reported as it is.
    do { return try invocation.services(for: address).first } catch { return nil }
  }

  /// Refuses options that do not apply to the account.
  private func requireApplicable(to account: Account) throws(CommandError) {
    let isSecret = account.authorityType == .secret
    if isSecret, pop { throw .optionsExclude("--pop", "a stored secret") }
    if !isSecret, auth != nil { throw .notASecret(account) }
  }

  private func request() throws -> APIRequest {
    if !url.contains("://"), HTTPURL("https://" + url) != nil { throw CommandError.noScheme(url) }
    do {
      var request = try APIRequest(method, url)
      for (index, line) in header.enumerated() {
        do { try request.add(header: line) } catch {
          throw CommandError.badHeader(Self.fault(line), number: index + 1)
        }
      }
      request.body = try body()
      if let body = request.body, !request.headers.contains(where: { Self.isType($0.name) }) {
        try request.add(header: "Content-Type: \(Self.type(of: body))")
      }
      request.token.scopes = ScopeSet(target: scope.joined(separator: " "))
      request.token.resource = resource
      request.token.clientID = clientId
      request.token.tenantID = tenant
      request.isBound = pop
      guard let patience = Duration(timeout), patience.seconds > 0 else {
        throw CommandError.badDuration(timeout)
      }
      request.deadlineMilliseconds = Int(patience.seconds) * 1000
      request.authentication = auth
      return request
    } catch let error as SignInError { throw VaultError.signIn(error) }
  }

  /// The value may be a secret, and is never shown.
  private static func fault(_ line: String) -> HeaderFault {
    let parts = line.split(separator: ":", maxSplits: 1)
    guard let name = parts.first.map(String.init), parts.count == 2 else { return .form }
    if APIRequest.ownFields.contains(name.lowercased()) { return .own(name) }
    // With another value, the name is a field.
    do {
      var request = try APIRequest("GET", "https://localhost/")
      try request.add(header: "\(name): x")
      return .controlCharacter(name)
    } catch { return .form }
  }

  private func body() throws -> [UInt8]? {
    guard let data else { return nil }
    if data == "-" { return try InputFile.standardInput(limit: Self.limit) }
    if data.hasPrefix("@") {
      return try InputFile.read(String(data.dropFirst()), limit: Self.limit)
    }
    return Array(data.utf8)
  }

  private static func isType(_ name: String) -> Bool { name.lowercased() == "content-type" }

  private static func type(of body: [UInt8]) -> String {
    // absent is an answer: a body that is not JSON is text.
    do { _ = try JSONValue(parsing: body) } catch { return "text/plain; charset=utf-8" }
    return "application/json"
  }

  /// The token is for the requested host: it is never sent to a redirect's target.
  private func requireNoRedirect(_ response: HTTPResponse, _ address: HTTPURL) throws {
    guard (300..<400).contains(response.status), let location = response.header("Location") else {
      return
    }
    throw Failure(
      .provider,
      "\(address.shownAuthority) redirects to \(Failure.quoted(location)). The redirect was not "
        + "followed: the token is only for the requested URL. Stored tokens are "
        + "unchanged.", next: Failure.again("with the URL of the redirect, if you trust it"),
      code: "redirectNotFollowed")
  }

  /// JSON with indentation; anything else unchanged, but escaped for a terminal.
  private func shown(_ body: [UInt8], isForTerminal: Bool) -> [UInt8] {
    if body.isEmpty { return body }
    if let json = JSONText.pretty(body) { return JSONWriter.safeForTerminals(json) }
    guard isForTerminal else { return body }
    let text = PlainText.escapedLines(String(decoding: body, as: UTF8.self))
    return Array((text.hasSuffix("\n") ? text : text + "\n").utf8)
  }
}
