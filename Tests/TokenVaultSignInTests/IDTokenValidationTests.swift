import Testing
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultSignIn

/// The checks of OIDC Core, each with a token that fails only this one.
@Suite(.timeLimit(.minutes(5))) struct IDTokenValidationTests {
  private let signer: TestSigner
  private let keys: JWKSet

  init() throws {
    signer = try TestSigner.shared.get()
    keys = try signer.keys()
  }

  private func fault(
    _ changes: [String: JSONValue?], _ expected: IDTokenExpectations = expectations()
  ) throws -> SignInError.IDTokenFault? {
    fault(try signer.token(changes), expected)
  }

  private func fault(
    _ token: String, _ expected: IDTokenExpectations = expectations(), keys other: JWKSet? = nil
  ) -> SignInError.IDTokenFault? {
    do {
      _ = try expected.validate(token, keys: other ?? keys)
      return nil
    } catch .idToken(let fault) { return fault } catch {
      Issue.record(error)
      return nil
    }
  }

  @Test func oidcCore_3_1_3_7_aValidTokenYieldsItsClaims() throws {
    let token = try signer.token(["name": .string("Ada")])
    let claims = try expectations().validate(token, keys: keys)
    #expect(claims.name == "Ada")
    #expect(claims.subject == "person")
  }

  @Test func rfc7515_7_1_aTextThatIsNoCompactJWSIsRefused() throws {
    let parts = try signer.token().split(separator: ".").map(String.init)
    let arrayHeader = Base64URL.encode(Array("[]".utf8))
    let forms = [
      "", ".", "..", "a.b", "a.b.c", parts[0] + "." + parts[1], parts.joined(separator: ".") + ".x",
      parts[0] + "==." + parts[1] + "." + parts[2], parts.joined(separator: ".") + "=",
      arrayHeader + "." + parts[1] + "." + parts[2], parts[0] + "." + arrayHeader + "." + parts[2],
      parts.joined(separator: ".") + "\n", " " + parts.joined(separator: "."),
      String(repeating: "a", count: 1 << 20) + "." + parts[1] + "." + parts[2],
    ]
    for form in forms { #expect(fault(form) == .notAToken) }
  }

  @Test func rfc7515_4_1_11_aCriticalHeaderIsRefused() throws {
    let header: [String: JSONValue] = [
      "alg": .string("RS256"), "kid": .string("k1"), "crit": .array([.string("b64")]),
      "b64": .bool(false),
    ]
    #expect(fault(try signer.token(header: header, claims: [:])) == .notAToken)
  }

  @Test func rfc8725_3_1_noneAndSharedSecretsAreNoSignatures() throws {
    let payload = try signer.token().split(separator: ".")[1]
    for name in ["none", "None", "NONE", "nOnE", "HS256", "HS384", "HS512", "RS1", ""] {
      let header = Base64URL.encode(Array(#"{"alg":"\#(name)","kid":"k1"}"#.utf8))
      #expect(fault("\(header).\(payload).") == .algorithm)
      #expect(fault(try signer.token(alg: name)) == .algorithm)
      #expect(fault(try signer.token(alg: name), expectations(algorithms: [name])) == .algorithm)
    }
  }

  @Test func oidcCore_3_1_3_7_item6_aModifiedTokenIsRefused() throws {
    let parts = try signer.token().split(separator: ".").map(String.init)
    let other = try signer.token(["sub": .string("somebody")]).split(separator: ".")
    #expect(fault("\(parts[0]).\(other[1]).\(parts[2])") == .signature)
    #expect(fault("\(parts[0]).\(parts[1]).\(other[2])") == .signature)
    #expect(fault("\(parts[0]).\(parts[1]).") == .signature)
    let stranger = TestSigner(key: try .generate())
    #expect(fault(try stranger.token()) == .signature)
  }

  @Test func oidcCore_3_1_3_7_item6_aKeyInsideTheTokenIsNotUsed() throws {
    let stranger = TestSigner(key: try .generate())
    let header: [String: JSONValue] = [
      "alg": .string("RS256"), "jwk": try stranger.jwk(), "jku": .string("https://evil.example"),
    ]
    let claims: [String: JSONValue] = ["iss": .string(issuer), "sub": .string("person")]
    #expect(fault(try stranger.token(header: header, claims: claims)) == .signature)
  }

  @Test func oidcCore_3_1_3_7_item7_anAlgorithmThatTheProviderDoesNotNameIsRefused()
    throws
  {
    let token = try signer.token()
    #expect(fault(token, expectations(algorithms: ["ES256", "PS256"])) == .algorithm)
    #expect(fault(token, expectations(algorithms: ["ES256", "RS256"])) == nil)
  }

  @Test func oidcCore_10_1_aTokenWithAnUnknownKeyIDIsRefused() throws {
    #expect(fault(try signer.token(kid: "k2")) == .key)
    #expect(fault(try signer.token(kid: nil)) == nil)
    #expect(fault(try signer.token(alg: "ES256")) == .key)
    #expect(fault(try signer.token(alg: "PS256")) == .signature)
  }

  @Test func oidcCore_3_1_3_7_item2_aTokenOfAnotherIssuerIsRefused() throws {
    for other in ["https://evil.example/v2.0", issuer + "/", "https://ID.example/v2.0"] {
      #expect(try fault(["iss": .string(other)]) == .issuer)
    }
    #expect(try fault(["iss": missing]) == .issuer)
    #expect(try fault(["iss": .number("1")]) == .issuer)
    let several = expectations(issuer: .anyOf([issuer, "https://b.example"]))
    #expect(try fault([:], several) == nil)
    #expect(try fault(["iss": .string("https://b.example")], several) == nil)
    #expect(try fault(["iss": .string("https://c.example")], several) == .issuer)
  }

  @Test func oidcCore_3_1_3_7_item2_anIssuerForAllTenantsTakesTheTokensTenant()
    throws
  {
    let rule = IssuerRule("https://login.example/{tenantid}/v2.0")
    let tenant = "9188040d-6c67-4c5b-b112-36a304b66dad"
    func fault(_ tid: JSONValue?, _ segment: String) throws -> SignInError.IDTokenFault? {
      try self.fault(
        ["iss": .string("https://login.example/\(segment)/v2.0"), "tid": tid],
        expectations(issuer: rule))
    }
    #expect(try fault(.string(tenant), tenant) == nil)
    #expect(try fault(.string("00000000-6c67-4c5b-b112-36a304b66dad"), tenant) == .issuer)
    #expect(try fault(nil, tenant) == .issuer)
    #expect(try fault(nil, "{tenantid}") == .issuer)
    // Texts that are no GUID, and would change the issuer's path or host.
    for tid in ["evil", "", "../" + tenant, "{tenantid}", tenant + "/", tenant.dropLast() + "g"] {
      #expect(try fault(.string(tid), tid) == .issuer)
    }
    #expect(IssuerRule(issuer) == .exactly(issuer))
  }

  @Test func oidcCore_3_1_3_7_item3_aTokenForAnotherAudienceIsRefused() throws {
    let none: [JSONValue?] = [
      .string("other"), .string("App"), .array([.string("other")]), .array([]), .number("1"), nil,
    ]
    for audience in none { #expect(try fault(["aud": audience]) == .audience) }
    #expect(try fault(["aud": .array([.string("app")])]) == nil)
  }

  @Test func oidcCore_3_1_3_7_item4_aTokenForSeveralAudiencesMustNameThisClient() throws {
    let several = JSONValue.array([.string("other"), .string("app")])
    #expect(try fault(["aud": several]) == .authorizedParty)
    #expect(try fault(["aud": several, "azp": .string("other")]) == .authorizedParty)
    #expect(try fault(["aud": several, "azp": .string("app")]) == nil)
  }

  @Test func oidcCore_3_1_3_7_item5_aTokenIssuedToAnotherClientIsRefused() throws {
    #expect(try fault(["azp": .string("other")]) == .authorizedParty)
    #expect(try fault(["azp": .number("1")]) == .authorizedParty)
    #expect(try fault(["azp": .string("app")]) == nil)
  }

  @Test func oidcCore_3_1_3_7_item9_anExpiredTokenIsRefused() throws {
    #expect(try fault(["exp": at(-299)]) == nil)
    #expect(try fault(["exp": at(-300)]) == .expired)
    let none: [JSONValue?] = [
      nil, .null, .string("1900000000"), .number("1e400"), .number("-1"), .number("1e18"),
    ]
    for value in none { #expect(try fault(["exp": value]) == .expired) }
    #expect(try fault(["exp": .number("1900000000.5")]) == nil)
    #expect(try fault(["exp": .number("1.9e9")]) == nil)
  }

  @Test func oidcCore_3_1_3_7_item10_aTokenIssuedInTheFutureIsRefused() throws {
    #expect(try fault(["iat": at(300)]) == nil)
    #expect(try fault(["iat": at(301)]) == .issuedInFuture)
    #expect(try fault(["iat": missing]) == .issuedInFuture)
    #expect(try fault(["iat": .string("1")]) == .issuedInFuture)
  }

  @Test func rfc7519_4_1_5_aTokenThatIsNotYetValidIsRefused() throws {
    #expect(try fault(["nbf": at(300)]) == nil)
    #expect(try fault(["nbf": at(301)]) == .notYetValid)
    #expect(try fault(["nbf": .string("soon")]) == .notYetValid)
  }

  @Test func oidcCore_3_1_3_7_item11_aTokenOfAnotherSignInIsRefused() throws {
    for nonce in [.string("n-2"), .string("n-"), .string("n-11"), .number("1"), nil] as [JSONValue?]
    {
      #expect(try fault(["nonce": nonce]) == .nonce)
    }
    #expect(try fault([:], expectations(nonce: nil)) == nil)
    #expect(try fault(["nonce": missing], expectations(nonce: nil)) == nil)
  }

  @Test func oidcCore_3_1_3_6_aTokenOfAnotherAccessTokenIsRefused() throws {
    // The example of OIDC Core, appendix A.3.
    let expected = expectations(accessToken: "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y")
    let hash = "77QmUPtjPfzWtF2AnpK9RQ"
    #expect(try fault(["at_hash": .string(hash)], expected) == nil)
    #expect(try fault([:], expected) == nil)
    #expect(try fault(["at_hash": .string(hash)], expectations()) == nil)
    for other in [.string("77QmUPtjPfzWtF2AnpK9RR"), .string(""), .number("1")] as [JSONValue] {
      #expect(try fault(["at_hash": other], expected) == .accessTokenHash)
    }
    let stolen = expectations(accessToken: "another")
    #expect(try fault(["at_hash": .string(hash)], stolen) == .accessTokenHash)
  }

  @Test func oidcCore_2_aTokenWithoutASubjectIsRefused() throws {
    let none: [JSONValue?] = [
      nil, .string(""), .number("1"), .string(String(repeating: "a", count: 256)),
    ]
    for value in none { #expect(try fault(["sub": value]) == .subject) }
    #expect(try fault(["sub": .string(String(repeating: "a", count: 255))]) == nil)
  }

  @Test func oidcCore_12_2_aRefreshedTokenForAnotherUserIsRefused() throws {
    #expect(try fault([:], expectations(subject: "person")) == nil)
    #expect(try fault([:], expectations(subject: "Person")) == .subject)
  }

  @Test func errorsContainNoTextOfTheRefusedToken() throws {
    let token = try signer.token(["aud": .string("other"), "name": .string("Ada")])
    do {
      _ = try expectations().validate(token, keys: keys)
      Issue.record("accepted")
    } catch {
      #expect("\(error)" == "idToken(TokenVaultSignIn.SignInError.IDTokenFault.audience)")
    }
  }
}
