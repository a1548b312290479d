import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultModel

/// Published vectors, including forged signatures.
@Suite(.timeLimit(.minutes(5))) struct VerificationVectorTests {
  @Test func verifiesRSASignaturesAsInTheVectorsOfNIST() throws {
    var results: [Bool] = []
    for fields in try cases("RSA/FIPS_186-2/SigVer15_186-3.rsp") {
      let n = try #require(Hexadecimal.decode((fields["n"] ?? "").utf8))
      guard n.count >= 256, let algorithm = algorithm("RS", fields["SHAAlg"]) else { continue }
      let key = VerificationKey.rsa(n: n, e: Array(try bytes(fields, "e").drop { $0 == 0 }))
      let result = try key.verifies(
        bytes(fields, "S"), of: bytes(fields, "Msg"), by: algorithm)
      #expect(result == (fields["Result"]?.hasPrefix("P") == true), "\(fields["Result"] ?? "")")
      results.append(result)
    }
    #expect(results.count == 162)
    #expect(results.filter { $0 }.count == 27)
  }

  @Test func rfc7518_3_5_rejectsAPSSSaltOfAnotherSizeThanTheHash() throws {
    var count = 0
    for fields in try cases("RSA/FIPS_186-2/SigVerPSS_186-3.rsp") {
      let n = try #require(Hexadecimal.decode((fields["n"] ?? "").utf8))
      guard n.count >= 256, let algorithm = algorithm("PS", fields["SHAAlg"]) else { continue }
      let key = VerificationKey.rsa(n: n, e: Array(try bytes(fields, "e").drop { $0 == 0 }))
      // The vectors use a salt of 10 bytes, which is valid in FIPS 186-3 but not in JWS.
      #expect(
        try !key.verifies(bytes(fields, "S"), of: bytes(fields, "Msg"), by: algorithm))
      count += fields["Result"]?.hasPrefix("P") == true ? 1 : 0
    }
    #expect(count == 27)
  }

  @Test func verifiesEllipticCurveSignaturesAsInTheVectorsOfNIST() throws {
    let sections: [String: (VerificationKey.Curve, SignatureAlgorithm, Int)] = [
      "P-256,SHA-256": (.p256, .es256, 32), "P-384,SHA-384": (.p384, .es384, 48),
      "P-521,SHA-512": (.p521, .es512, 66),
    ]
    var results: [Bool] = []
    for fields in try cases("ECDSA/FIPS_186-3/SigVer.rsp") {
      guard let (curve, algorithm, size) = sections[fields["section"] ?? ""] else { continue }
      let padded = { (name: String) in
        let digits = try bytes(fields, name).drop { $0 == 0 }
        return [UInt8](repeating: 0, count: size - digits.count) + digits
      }
      let key = VerificationKey.elliptic(curve, x: try padded("Qx"), y: try padded("Qy"))
      let result: Bool
      do {
        result = try key.verifies(
          padded("R") + padded("S"), of: bytes(fields, "Msg"), by: algorithm)
      } catch CryptoError.badParameters {
        // A modified point is usually not on the curve.
        #expect(fields["Result"]?.contains("Q changed") == true)
        result = false
      }
      #expect(result == (fields["Result"]?.hasPrefix("P") == true), "\(fields["Result"] ?? "")")
      results.append(result)
    }
    #expect(results.count == 45)
    #expect(results.contains(true))
  }

  @Test func verifiesTheSignaturesOfTheAuthorsOfEd25519() throws {
    let lines = try text("Ed25519/sign.input").split(separator: "\n")
    for line in lines {
      let parts = try line.split(separator: ":", omittingEmptySubsequences: false)
        .map { try #require(Hexadecimal.decode($0.utf8)) }
      let key = VerificationKey.ed25519(parts[1])
      #expect(try key.verifies(Array(parts[3].prefix(64)), of: parts[2], by: .edDSA))
      #expect(try !key.verifies(Array(parts[3].prefix(64)), of: parts[2] + [1], by: .edDSA))
    }
    #expect(lines.count == 1024)
  }

  @Test func hashesWithTheHashFunctionOfTheAlgorithm() throws {
    // FIPS 180-4: the first bytes of the hashes of "abc".
    let beginnings: [String: Set<SignatureAlgorithm>] = [
      "ba7816bf8f01cfea": [.rs256, .ps256, .es256], "cb00753f45a35e8b": [.rs384, .ps384, .es384],
      "ddaf35a193617aba": [.rs512, .ps512, .es512, .edDSA],
    ]
    for (beginning, algorithms) in beginnings {
      for algorithm in algorithms {
        let hash = try algorithm.hash(Array("abc".utf8))
        #expect(Array(hash.prefix(8)) == Hexadecimal.decode(beginning.utf8))
        #expect(hash.count == (Int(algorithm.rawValue.suffix(3)) ?? 512) / 8)
      }
    }
  }

  private func algorithm(_ family: String, _ hash: String?) -> SignatureAlgorithm? {
    hash.flatMap { SignatureAlgorithm(rawValue: family + $0.suffix(3)) }
  }

  private func bytes(_ fields: [String: String], _ name: String) throws -> [UInt8] {
    let text = try #require(fields[name])
    return try #require(Hexadecimal.decode((text.count.isMultiple(of: 2) ? text : "0" + text).utf8))
  }

  private func text(_ file: String) throws -> String {
    let directory = try #require(ProcessInfo.processInfo.environment["TOKENVAULT_VECTORS"])
    let path = "\(directory)/asymmetric/\(file)"
    let data = try #require(FileManager.default.contents(atPath: path))
    return String(decoding: data, as: UTF8.self)
  }

  /// A case ends with its result. Its fields also apply to the following cases until they are set
  /// again.
  private func cases(_ file: String) throws -> [[String: String]] {
    var fields: [String: String] = [:]
    var found: [[String: String]] = []
    for line in try text(file).split(whereSeparator: \.isNewline) {
      if line.hasPrefix("[") { fields = ["section": String(line.dropFirst().dropLast())] }
      let parts = line.split(separator: "=", maxSplits: 1)
        .map { $0.trimmingCharacters(in: .whitespaces) }
      guard parts.count == 2, !line.hasPrefix("[") else { continue }
      fields[parts[0]] = parts[1]
      if parts[0] == "Result" { found.append(fields) }
    }
    return found
  }
}
