import TokenVaultCrypto
import TokenVaultModel
import TokenVaultSignIn

extension HelperProtocol {
  /// The token of a mail account, for the programs that read a password from a command.
  package static let mail = HelperProtocol(
    name: "mail", programs: ["tokenvault-mail-auth"], readsInput: { _ in false },
    begin: MailHelper.begin)
}

/// `--mechanism token` prints the bare token, for programs that make the response of their mechanism
/// themselves; the other two print the initial response in Base64.
private struct MailHelper {
  private let response: MailResponse?
  private let query: TokenQuery

  static func begin(_ call: HelperCall) -> HelperStep {
    .reading { () throws(HelperUsageError) in
      var options = TokenQuery.options
      for name in ["mechanism", "host", "port", "user"] { options["--" + name] = name }
      let arguments = try HelperArguments(call.arguments, options: options)
      guard arguments.words.isEmpty else {
        throw .words("This helper has options only, as in --user ada@contoso.example.")
      }
      let helper = try MailHelper(arguments)
      return .asks(.token(helper.query), helper.answer)
    }
  }

  private init(_ arguments: HelperArguments) throws(HelperUsageError) {
    response = try MailResponse(arguments)
    var query = try TokenQuery(arguments)
    query.username = query.account == nil ? try arguments.single("user") : nil
    if let (host, address) = try MailResponse.host(arguments) {
      query.audiences = Self.audiences(host)
      query.address = address
    }
    self.query = query
  }

  /// The host of a mail server is an audience. Those of Microsoft's servers are known, too.
  private static func audiences(_ host: String) -> [String] {
    let isMicrosoft = ["office365.com", "outlook.com", "office.com"].contains { domain in
      host == domain || host.hasSuffix("." + domain)
    }
    guard isMicrosoft else { return [host] }
    return [host, "https://outlook.office.com", "https://outlook.office365.com"]
  }

  @Sendable private func answer(_ outcome: CredentialOutcome) -> HelperAnswer {
    guard case .found(let found) = outcome else { return .failure(outcome) }
    guard let token = found.bearerToken else {
      return HelperAnswer(message: "The account's token is no bearer token.", status: 1)
    }
    guard let response else { return HelperAnswer(token + "\n") }
    guard let text = response.text(token: token, username: found.username) else {
      return HelperAnswer(message: "The account has no user name: add --user NAME.", status: 1)
    }
    return HelperAnswer(Base64URL.standard(Array(text.utf8)) + "\n")
  }
}
