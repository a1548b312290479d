import TokenVaultCrypto
import TokenVaultModel
import TokenVaultSignIn

extension HelperProtocol {
  /// The executable of Google's external accounts ("executable-sourced credentials").
  package static let google = HelperProtocol(
    name: "google", programs: ["tokenvault-google"],
    variables: GoogleHelper.variables, readsInput: { _ in false }, mergesStreams: true,
    begin: GoogleHelper.begin)
}

/// Google's libraries read standard output and standard error as one text. So every answer is JSON
/// on standard output, an error too, and the status is 0.
private enum GoogleHelper {
  static let variables = [audience, tokenType, revoke]

  private static let audience = "GOOGLE_EXTERNAL_ACCOUNT_AUDIENCE"
  private static let tokenType = "GOOGLE_EXTERNAL_ACCOUNT_TOKEN_TYPE"
  private static let revoke = "GOOGLE_EXTERNAL_ACCOUNT_REVOKE"
  private static let types = "urn:ietf:params:oauth:token-type:"

  static func begin(_ call: HelperCall) -> HelperStep {
    let query: TokenQuery
    do {
      let arguments = try HelperArguments(call.arguments, options: TokenQuery.options)
      guard arguments.words.isEmpty else {
        return .answered(error("invalid_request", "This helper has options only."))
      }
      query = try TokenQuery(arguments)
    } catch { return .answered(Self.error("invalid_request", error.message)) }
    return begin(query, call.environment)
  }

  private static func begin(_ named: TokenQuery, _ environment: [String: String]) -> HelperStep {
    var query = named
    guard environment[revoke] != "1" else {
      return .answered(
        error("unsupported", "This helper revokes nothing. To sign out: tokenvault sign-out"))
    }
    guard let type = environment[tokenType] else {
      return .answered(error("invalid_request", "Google's libraries set the type of the token."))
    }
    guard [types + "id_token", types + "jwt"].contains(type) else {
      return .answered(error("unsupported", "This helper has no tokens of the type asked for."))
    }
    query.needsIDToken = type == types + "id_token"
    query.audiences = environment[audience].map { [$0] } ?? []
    return .asks(.token(query)) { [query] in answer($0, type: type, query) }
  }

  private static func answer(
    _ outcome: CredentialOutcome, type: String, _ query: TokenQuery
  ) -> HelperAnswer {
    guard case .found(let found) = outcome else {
      return error("no_token", outcome.failureText(at: nil))
    }
    guard
      let token = query.needsIDToken
        ? found.idToken.flatMap({ FoundCredential.line($0) })
        : found.line, let claims = IDToken(token)
    else {
      return error(
        "no_token",
        query.needsIDToken
          ? "The account has no ID token." : "The account's access token is not a JWT.")
    }
    var members: [(String, JSONValue)] = [
      ("version", .number("1")), ("success", .bool(true)), ("token_type", .string(type)),
      ("id_token", .string(token)),
    ]
    if let end = expiration(of: claims, found, query) {
      members.append(("expiration_time", .number("\(end.epochSeconds)")))
    }
    return .json(members)
  }

  /// The ID token has an end of its own.
  private static func expiration(
    of token: IDToken, _ found: FoundCredential, _ query: TokenQuery
  ) -> Timestamp? {
    guard query.needsIDToken else { return found.expiresOn }
    do {
      guard case .number(let seconds) = try JSONValue(parsing: token.claimsJSON)["exp"] else {
        return nil
      }
      return Int64(seconds).map(Timestamp.init(epochSeconds:))
    } catch { return nil }
  }

  private static func error(_ code: String, _ message: String) -> HelperAnswer {
    .json([
      ("version", .number("1")), ("success", .bool(false)), ("code", .string(code)),
      ("message", .string(message)),
    ])
  }
}
