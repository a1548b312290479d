import Testing
import TokenVaultCrypto

@Suite(.timeLimit(.minutes(5))) struct KeyDerivationTests {
  @Test(arguments: [("rfc-5869-HKDF-SHA256", 3), ("hkdf-generated", 1)])
  func hkdfMatchesTheVectorsOfRFC5869AndALongOne(file: String, count: Int) throws {
    let cases = try vectors("KDF/\(file).txt", first: "COUNT")
    for vector in cases {
      let key = try SecretBytes(copying: vector.bytes("IKM"))
      let derived = try KeyDerivation.hkdfSHA256(
        key, salt: vector.bytes("salt"), info: vector.bytes("info"), count: vector.number("L")
      ).copied()
      #expect(try derived == vector.bytes("OKM"), "\(vector.fields)")
    }
    #expect(cases.count == count)
  }

  @Test func scryptMatchesTheVectorsOfRFC7914UpToOneGibibyte() throws {
    let cases = try vectors("KDF/scrypt.txt", first: "COUNT")
    for vector in cases {
      let passphrase = try SecretBytes(copying: Array(vector.text("PASSWORD").utf8))
      let derived = try KeyDerivation.scrypt(
        passphrase, salt: Array(vector.text("SALT").utf8),
        logN: vector.number("N").trailingZeroBitCount, r: vector.number("r"),
        p: vector.number("p"), count: vector.number("LENGTH")
      ).copied()
      #expect(try derived == vector.bytes("DERIVED_KEY"), "\(vector.fields)")
    }
    #expect(cases.count == 4)
  }

  @Test func hkdfAcceptsTheLongestDocumentedInfo() throws {
    let key = try SecretBytes.random(count: 32)
    let info = [UInt8](repeating: 1, count: 1024)
    let count = try KeyDerivation.hkdfSHA256(key, salt: info, info: info, count: 8160).count
    #expect(count == 8160)
  }

  @Test(arguments: [(0, 32, 0), (32, 0, 0), (32, -1, 0), (32, 8161, 0), (32, 32, 1025)])
  func hkdfRejectsSizesOutsideItsLimits(key: Int, count: Int, info: Int) throws {
    #expect(throws: CryptoError.badParameters) {
      _ = try KeyDerivation.hkdfSHA256(
        SecretBytes.random(count: key), salt: [], info: [UInt8](repeating: 0, count: info),
        count: count)
    }
  }

  @Test(arguments: [
    (0, 8, 1, 32), (-1, 8, 1, 32), (21, 8, 1, 32), (20, 9, 1, 32), (63, 1, 1, 32),
    (10, 0, 1, 32), (10, Int.max, 1, 32), (10, 8, 0, 32), (10, 8, 17, 32), (10, 8, 1, 0),
  ])
  func scryptRejectsParametersThatAForgedFileCouldContain(
    logN: Int, r: Int, p: Int, count: Int
  ) throws {
    #expect(throws: CryptoError.badParameters) {
      _ = try KeyDerivation.scrypt(
        SecretBytes.random(count: 8), salt: [1], logN: logN, r: r, p: p, count: count)
    }
  }
}
