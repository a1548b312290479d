import Testing

@testable import TokenVaultSignIn

/// Responses of an API that needs other claims in the token (RFC 6750 section 3, RFC 9110 section
/// 11.6.1).
@Suite(.timeLimit(.minutes(5))) struct ClaimsChallengeTests {
  private let text = #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#
  /// The text in base64, as Microsoft Graph sends it.
  private let encoded =
    "eyJhY2Nlc3NfdG9rZW4iOnsiYWNycyI6eyJlc3NlbnRpYWwiOnRydWUsInZhbHVlIjoiYzEifX19"

  private func claims(_ fields: String..., status: Int = 401) -> String? {
    let response = HTTPResponse(
      status: status, headers: fields.map { ("www-authenticate", $0) }, body: [])
    return ClaimsChallenge.claims(in: response)?.json
  }

  @Test func theClaimsOfAChallengeAreRead() {
    #expect(
      claims(
        #"Bearer realm="", authorization_uri="https://login.example/a,b", "#
          + #"error="insufficient_claims", claims="\#(encoded)""#) == text)
  }

  @Test func rfc9110_section11_6_1_severalChallengesAreDistinguished() {
    let bearer = #"Bearer error="insufficient_claims", claims=\#(encoded)"#
    #expect(claims("Negotiate, \(bearer), Basic realm=\"x\"") == text)
    #expect(claims("Basic realm=\"x\"", bearer) == text)
    // The claims belong to another scheme.
    #expect(
      claims(#"Bearer error="insufficient_claims", Other claims="\#(encoded)""#) == nil)
    // A quoted text contains no challenge.
    #expect(
      claims(#"Basic realm="x, Bearer error=insufficient_claims, claims=\#(encoded)""#) == nil)
  }

  @Test(arguments: [
    #"Bearer error="invalid_token", claims="e30""#,
    #"Bearer error="insufficient_claims""#,
    #"Bearer error="insufficient_claims", claims="not base64""#,
    #"Bearer error="insufficient_claims", claims="e30", claims="e30""#,
    #"Bearer error="insufficient_claims", claims="W10=""#,
    "", ",,,", "Bearer", "=",
  ])
  func ambiguousChallengesAreIgnored(field: String) { #expect(claims(field) == nil) }

  @Test func onlyStatus401IsAChallenge() {
    let field = #"Bearer error="insufficient_claims", claims="\#(encoded)""#
    #expect(claims(field, status: 403) == nil)
    #expect(claims(field.replacingBase64Padding) == text)
  }
}

extension String {
  /// The same text with base64 padding, which some services send.
  fileprivate var replacingBase64Padding: String {
    String(dropLast()) + "=\""
  }
}
