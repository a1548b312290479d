import Testing
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultSignIn

@Suite(.timeLimit(.minutes(5))) struct JWKSetTests {
  private let signer: TestSigner

  init() throws { signer = try TestSigner.shared.get() }

  private func keys(_ keys: [JSONValue]) throws -> JWKSet { try JWKSet(document(keys)) }

  private func accepts(_ keys: JWKSet, _ token: String) -> Bool {
    do {
      _ = try expectations().validate(token, keys: keys)
      return true
    } catch { return false }
  }

  @Test func rfc7517_5_aDocumentThatIsNoJWKSetIsRefused() throws {
    let texts = ["", "[]", "{}", #"{"keys":{}}"#, #"{"keys":[}"#, "null"]
    for text in texts {
      #expect(throws: SignInError.idToken(.keysUnavailable)) { try JWKSet(Array(text.utf8)) }
    }
    let large = #"{"keys":[]}"# + String(repeating: " ", count: JWKSet.sizeLimit)
    #expect(throws: SignInError.idToken(.keysUnavailable)) { try JWKSet(Array(large.utf8)) }
    #expect(!accepts(try keys([]), try signer.token()))
  }

  @Test func rfc7517_5_keysOfUnknownKindsAreIgnored() throws {
    let strange: [JSONValue] = [
      .null, .string("key"), .object([]), .object([.init("kty", .string("XYZ"))]),
      .object([.init("kty", .string("oct")), .init("k", .string("AAAA"))]),
      .object([.init("kty", .string("OKP")), .init("crv", .string("X25519"))]),
      .object([.init("kty", .string("EC")), .init("crv", .string("P-192"))]),
      try signer.jwk("k1", ["n": .number("5")]), try signer.jwk("k1", ["e": .string("=")]),
      try signer.jwk("k1", ["kid": .number("1")]),
    ]
    let token = try signer.token()
    #expect(!accepts(try keys(strange), token))
    #expect(accepts(try keys(strange + [signer.jwk()]), token))
  }

  @Test func rfc7517_4_2_anEncryptionKeyVerifiesNoSignature() throws {
    let token = try signer.token()
    #expect(!accepts(try keys([signer.jwk("k1", ["use": .string("enc")])]), token))
    #expect(accepts(try keys([signer.jwk("k1", ["use": .string("sig")])]), token))
  }

  @Test func rfc7517_4_3_aKeyForOtherOperationsVerifiesNoSignature() throws {
    let token = try signer.token()
    let encrypting = try signer.jwk("k1", ["key_ops": .array([.string("encrypt")])])
    #expect(!accepts(try keys([encrypting]), token))
    let verifying = try signer.jwk("k1", ["key_ops": .array([.string("verify")])])
    #expect(accepts(try keys([verifying]), token))
  }

  @Test func rfc7517_4_4_aKeyForAnotherAlgorithmVerifiesNoSignature() throws {
    let token = try signer.token()
    #expect(!accepts(try keys([signer.jwk("k1", ["alg": .string("RS512")])]), token))
    #expect(accepts(try keys([signer.jwk("k1", ["alg": .string("RS256")])]), token))
  }

  @Test func rfc7517_4_5_twoKeysWithTheSameIDAreBothTried() throws {
    let stranger = TestSigner(key: try .generate())
    let set = try keys([stranger.jwk(), signer.jwk()])
    #expect(accepts(set, try signer.token()))
    #expect(accepts(set, try stranger.token()))
    #expect(!accepts(try keys([stranger.jwk("k2"), signer.jwk("k1")]), try stranger.token()))
  }

  @Test func aKeyOfOneTenantsIssuerDoesNotSignForAnother() throws {
    let (tenant, other) = (
      "9188040d-6c67-4c5b-b112-36a304b66dad", "00000000-6c67-4c5b-b112-36a304b66dad"
    )
    let template = "https://login.example/{tenantid}/v2.0"
    func accepts(_ keyIssuer: String, _ tenant: String) throws -> Bool {
      let token = try signer.token([
        "iss": .string("https://login.example/\(tenant)/v2.0"), "tid": .string(tenant),
      ])
      let set = try keys([signer.jwk("k1", ["issuer": .string(keyIssuer)])])
      do {
        _ = try expectations(issuer: .template(template)).validate(token, keys: set)
        return true
      } catch .idToken(.key) { return false }
    }
    #expect(try accepts(template, tenant))
    #expect(try accepts("https://login.example/\(tenant)/v2.0", tenant))
    #expect(try !accepts("https://login.example/\(tenant)/v2.0", other))
  }

  @Test func rfc8725_3_5_weakKeysAreIgnored() throws {
    let weak = Base64URL.encode([0xff] + [UInt8](repeating: 0xff, count: 127))
    let set = try keys([signer.jwk("k1", ["n": .string(weak)])])
    #expect(throws: SignInError.idToken(.key)) {
      try expectations().validate(signer.token(), keys: set)
    }
  }

  @Test
  func rfc7515_appendixA_3_and_rfc8037_appendixA_4_theExamplesVerifyWithTheirKeys()
    throws
  {
    let document = """
      {"keys":[{"kty":"EC","crv":"P-256","kid":"a","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
      "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"},
      {"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}
      """
    let set = try JWKSet(Array(document.utf8))
    let elliptic = """
      eyJhbGciOiJFUzI1NiJ9.\
      eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0\
      cnVlfQ.\
      DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q
      """
    try SignedToken(elliptic).verify(set)
    let key = try #require(set.keys(named: nil, for: .edDSA, issuedBy: nil, tenant: nil).first)
    let signature = try #require(
      Base64URL.decode(
        "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"))
    let signed = Array("eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc".utf8)
    #expect(try key.verifies(signature, of: signed, by: .edDSA))
  }
}
