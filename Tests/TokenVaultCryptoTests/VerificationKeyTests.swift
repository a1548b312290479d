import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultModel
import TokenVaultTestSupport

@Suite(.timeLimit(.minutes(5))) struct VerificationKeyTests {
  @Test func rfc7515_appendixA_2_verifiesTheExampleWithRS256() throws {
    let key = VerificationKey.rsa(
      n: try decoded(
        """
        ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt\
        0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSX\
        ndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5\
        IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ
        """), e: try decoded("AQAB"))
    let signature = try decoded(
      """
      cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W\
      2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkS\
      jtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnv\
      Wh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw
      """)
    try expectOnly(key, signature, Array(("eyJhbGciOiJSUzI1NiJ9." + joe).utf8), .rs256)
  }

  @Test func rfc7515_appendixA_3_verifiesTheExampleWithES256() throws {
    let key = VerificationKey.elliptic(
      .p256, x: try decoded("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"),
      y: try decoded("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"))
    let signature = try decoded(
      "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q")
    try expectOnly(key, signature, Array(("eyJhbGciOiJFUzI1NiJ9." + joe).utf8), .es256)
  }

  @Test func rfc8037_appendixA_4_verifiesTheExampleWithEd25519() throws {
    let key = VerificationKey.ed25519(try decoded("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"))
    let signature = try decoded(
      "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg")
    let message = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc"
    try expectOnly(key, signature, Array(message.utf8), .edDSA)
  }

  @Test func verifiesSignaturesOfAnotherProgramWithEachAlgorithm() throws {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "Peers/sign.py")
    let answer = String(decoding: try PythonPeer().run(script, ["a message"]), as: UTF8.self)
    var algorithms: Set<SignatureAlgorithm> = []
    for line in answer.split(separator: "\n") {
      let words = line.split(separator: " ")
      let algorithm = try #require(SignatureAlgorithm(rawValue: String(words[0])))
      let parts = try words.dropFirst().map { try #require(Hexadecimal.decode($0.utf8)) }
      let message = Array("a message".utf8)
      switch algorithm {
      case .es256, .es384, .es512:
        let curve = [SignatureAlgorithm.es256: .p256, .es384: .p384][algorithm] ?? Curve.p521
        let key = VerificationKey.elliptic(curve, x: parts[0], y: parts[1])
        try expectOnly(key, parts[2], message, algorithm)
        // RFC 7518 section 3.4: the DER sequence, which other programs accept, is not a JWS
        // signature.
        #expect(try !key.verifies(parts[3], of: message, by: algorithm))
      case .edDSA: try expectOnly(.ed25519(parts[0]), parts[1], message, algorithm)
      default: try expectOnly(.rsa(n: parts[0], e: parts[1]), parts[2], message, algorithm)
      }
      algorithms.insert(algorithm)
    }
    #expect(algorithms == Set(SignatureAlgorithm.allCases))
  }

  @Test func rfc7518_3_4_rejectsASignatureWithAZero() throws {
    let key = VerificationKey.elliptic(
      .p256, x: try decoded("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"),
      y: try decoded("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"))
    let zero = [UInt8](repeating: 0, count: 32)
    let one = zero.dropLast() + [1]
    for signature in [zero + zero, zero + one, one + zero] {
      #expect(try !key.verifies(signature, of: [1], by: .es256))
    }
    let largest = [UInt8](repeating: 0xff, count: 64)
    #expect(try !key.verifies(largest, of: [1], by: .es256))
  }

  @Test func rfc7518_6_2_1_rejectsAPointOfAnotherSizeOrOffTheCurve() throws {
    let x = try decoded("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU")
    let y = try decoded("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")
    for (x, y) in [(x, x), (x, Array(y.dropLast())), ([0] + x, [0] + y), ([], [])] {
      try expectNoKey(.elliptic(.p256, x: x, y: y), .es256)
    }
    try expectNoKey(.ed25519(x + [0]), .edDSA)
    try expectNoKey(.ed25519([]), .edDSA)
  }

  @Test func rfc7518_3_3_rejectsAnRSAKeyBelow2048Bits() throws {
    let modulus = { (bytes: Int, first: UInt8) in
      [first] + [UInt8](repeating: 0xff, count: bytes - 1)
    }
    for n in [
      modulus(128, 0xff), modulus(256, 0x7f), modulus(1025, 1), modulus(4096, 0xff), [], [0],
    ] {
      try expectNoKey(.rsa(n: n, e: [1, 0, 1]), .rs256)
      try expectNoKey(.rsa(n: n, e: [1, 0, 1]), .ps256)
    }
    for e in [[], [0], [1], [0, 0, 1], [2], [UInt8](repeating: 0xff, count: 9)] as [[UInt8]] {
      try expectNoKey(.rsa(n: modulus(256, 0xff), e: e), .rs256)
    }
    let key = VerificationKey.rsa(n: [0] + modulus(256, 0xff), e: [1, 0, 1])
    #expect(try !key.verifies([UInt8](repeating: 1, count: 256), of: [1], by: .rs256))
  }

  @Test func rfc7518_3_1_aKeyFitsOnlyTheAlgorithmsOfItsTypeAndCurve() throws {
    let point = [UInt8](repeating: 1, count: 32)
    let fitting: [(VerificationKey, Set<SignatureAlgorithm>)] = [
      (.rsa(n: point, e: point), [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]),
      (.elliptic(.p256, x: point, y: point), [.es256]),
      (.elliptic(.p384, x: point, y: point), [.es384]),
      (.elliptic(.p521, x: point, y: point), [.es512]), (.ed25519(point), [.edDSA]),
    ]
    for (key, algorithms) in fitting {
      #expect(Set(SignatureAlgorithm.allCases.filter(key.fits)) == algorithms)
    }
    for foreign in ["none", "None", "HS256", "HS384", "HS512", "RS1", "ES256K", "rs256", ""] {
      #expect(SignatureAlgorithm(rawValue: foreign) == nil)
    }
  }

  private func expectOnly(
    _ key: VerificationKey, _ signature: [UInt8], _ message: [UInt8],
    _ algorithm: SignatureAlgorithm
  ) throws {
    #expect(try key.verifies(signature, of: message, by: algorithm))
    #expect(try !key.verifies(signature, of: message + [0], by: algorithm))
    #expect(try !key.verifies(signature, of: [], by: algorithm))
    for index in stride(from: 0, to: signature.count, by: 7) {
      var other = signature
      other[index] ^= 0x10
      #expect(try !key.verifies(other, of: message, by: algorithm))
    }
    for other in [[], [0], Array(signature.dropLast()), signature + [0], [0] + signature] {
      #expect(try !key.verifies(other, of: message, by: algorithm))
    }
    for other in SignatureAlgorithm.allCases where other != algorithm && key.fits(other) {
      #expect(try !key.verifies(signature, of: message, by: other))
    }
    for other in SignatureAlgorithm.allCases where !key.fits(other) {
      try expectNoKey(key, other)
    }
  }

  private func expectNoKey(_ key: VerificationKey, _ algorithm: SignatureAlgorithm) throws {
    #expect(throws: CryptoError.badParameters) {
      try key.verifies([UInt8](repeating: 1, count: 64), of: [1], by: algorithm)
    }
  }
}

private typealias Curve = VerificationKey.Curve

/// The payload of the examples in RFC 7515.
private let joe = """
  eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ
  """

private func decoded(_ text: String) throws -> [UInt8] { try #require(Base64URL.decode(text)) }
