import Testing
import TokenVaultCrypto
import TokenVaultModel
import TokenVaultTestSupport

@testable import TokenVaultSignIn

@Suite(.timeLimit(.minutes(5))) struct ProofOfPossessionTests {
  private let signer: TestSigner
  private let proof: ProofOfPossession

  init() throws {
    signer = try TestSigner.shared.get()
    proof = try ProofOfPossession(signer.key)
  }

  @Test func rfc7638_3_1_theExampleHasTheExpectedThumbprint() throws {
    let modulus = """
      0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_B\
      JECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_F\
      DW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4\
      vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw
      """
    let expected = "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"
    #expect(try ProofOfPossession.thumbprint(n: modulus, e: "AQAB") == expected)
  }

  @Test func aTokenRequestNamesTheKeyByItsThumbprint() throws {
    let parameters = proof.tokenParameters
    #expect(parameters["token_type"] == "pop")
    let confirmation = try #require(parameters["req_cnf"].flatMap(Base64URL.decode))
    #expect(
      String(decoding: confirmation, as: UTF8.self)
        == #"{"kid":"\#(proof.keyID)","xms_ksl":"sw"}"#)
    #expect(parameters.pairs.count == 2)
  }

  private func parts(
    _ url: String, _ method: ProofOfPossession.HTTPMethod = .get, nonce: String? = "n"
  ) throws -> (header: JSONValue, claims: JSONValue) {
    let address = try #require(HTTPURL(url))
    let header = try proof.authorizationHeader(
      Redacted("the.access.token"), for: .init(method, address, nonce: nonce), now: now
    ).reveal()
    #expect(header.hasPrefix("Pop "))
    let parts = header.dropFirst(4).split(separator: ".").map(String.init)
    let signature = try #require(Base64URL.decode(parts[2]))
    let numbers = try signer.key.publicJWK
    let key = VerificationKey.rsa(
      n: try #require(Base64URL.decode(numbers.n)), e: try #require(Base64URL.decode(numbers.e)))
    let signed = Array((parts[0] + "." + parts[1]).utf8)
    #expect(try key.verifies(signature, of: signed, by: .rs256))
    let decoded = try parts.prefix(2).map {
      try JSONValue(parsing: try #require(Base64URL.decode($0)))
    }
    return (decoded[0], decoded[1])
  }

  @Test(
    .parity(
      "MSALAuthenticationSchemePop", "MSALAuthSchemePop", "MSALAuthenticationSchemePop.httpMethod",
      "MSALAuthenticationSchemePop.requestUrl", "MSALAuthenticationSchemePop.nonce"))
  func aSignedRequestHasTheClaimsOfMSALForMacOS() throws {
    let numbers = try signer.key.publicJWK
    let (header, claims) = try parts("https://api.example:8443/v1/me?a=b", .post)
    #expect(
      header.bytes
        == Array(#"{"alg":"RS256","kid":"\#(proof.keyID)","typ":"JWT"}"#.utf8))
    #expect(
      String(decoding: claims.bytes, as: UTF8.self)
        == """
        {"at":"the.access.token","cnf":{"jwk":{"e":"\(numbers.e)","kty":"RSA","n":"\(numbers.n)"}},\
        "m":"POST","nonce":"n","p":"/v1/me","ts":1800000000,"u":"api.example"}
        """)
  }

  @Test func aURLWithoutAPathHasNoPathInTheSignature() throws {
    #expect(try parts("https://api.example").claims["p"] == nil)
  }

  @Test func aRequestWithoutANonceGetsANewOne() throws {
    let nonces = try (0..<10).map { _ in
      try parts("https://api.example", nonce: nil).claims["nonce"]?.text ?? ""
    }
    #expect(Set(nonces).count == 10)
    #expect(nonces.allSatisfy { $0.utf8.count == 22 })
  }

  @Test(.parity("MSALHttpMethod"))
  func everyMethodOfMSALCanBeSigned() throws {
    let names = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"]
    #expect(ProofOfPossession.HTTPMethod.allCases.map(\.rawValue) == names)
    for method in ProofOfPossession.HTTPMethod.allCases {
      #expect(try parts("https://api.example", method).claims["m"] == .string(method.rawValue))
    }
  }
}
