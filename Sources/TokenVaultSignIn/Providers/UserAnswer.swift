import TokenVaultModel

/// The answer of a provider's user endpoint, which names the user of a token.
struct UserAnswer {
  private let id: String
  private let name: String?
  private let displayName: String?

  /// Reads the members that the provider's description names. The id decides which account the
  /// token is stored in, so nothing but a text or a whole number is one.
  init(_ answer: HTTPResponse, _ provider: ProviderDescription) throws(SignInError) {
    if (300...399).contains(answer.status) { throw .badAnswer(.redirect) }
    guard answer.status == 200, let object = JSONValue.object(in: answer.body) else {
      throw .badAnswer(.notJSON(status: answer.status))
    }
    switch object[provider.userID] {
    case .string(let text)?: id = text
    case .number(let literal)?:
      guard Int64(literal).map(String.init) == literal else {
        throw .badAnswer(.field(provider.userID))
      }
      id = literal
    default: throw .badAnswer(.field(provider.userID))
    }
    // As for a subject (OIDC Core section 2).
    guard (1...255).contains(id.utf8.count), id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
      throw .badAnswer(.field(provider.userID))
    }
    name = object[provider.userName]?.text
    displayName = object["name"]?.text
  }

  /// The same as the claims of an ID token.
  func claims(issuer: String) throws(SignInError) -> IDToken {
    let texts = [
      ("iss", issuer), ("sub", id), ("preferred_username", name), ("name", displayName),
    ].compactMap { name, text in text.map { JSONValue.Member(name, .string($0)) } }
    guard let claims = IDToken(claimsJSON: JSONValue.object(texts).bytes) else {
      throw .badAnswer(.nobody)
    }
    return claims
  }
}
