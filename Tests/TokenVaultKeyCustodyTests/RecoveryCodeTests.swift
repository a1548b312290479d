import TokenVaultKeyCustody
import Testing
import TokenVaultCrypto

@Suite(.timeLimit(.minutes(2))) struct RecoveryCodeTests {
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
  private let salt = Array("a salt of the group file".utf8)

  @Test func aCodeIsPrintedInSevenGroupsOfFiveAndReadBack() throws {
    let code = try RecoveryCode.make()
    let printed = text(try code.printable())
    let groups = printed.split(separator: "-")
    #expect(groups.count == 7 && groups.allSatisfy { $0.count == 5 })
    #expect(groups.joined().allSatisfy { Self.alphabet.contains($0) })
    let read = try RecoveryCode.parse(try secret(printed))
    #expect(text(try read.printable()) == printed)
    #expect(
      bytes(try read.keyEncryptionKey(salt: salt)) == bytes(try code.keyEncryptionKey(salt: salt)))
    #expect(
      bytes(try code.keyEncryptionKey(salt: [1])) != bytes(try code.keyEncryptionKey(salt: salt)))
  }

  @Test func codesUseTheWholeAlphabetAndNeverRepeat() throws {
    var codes: Set<String> = []
    for _ in 0..<200 { codes.insert(text(try RecoveryCode.make().printable())) }
    #expect(codes.count == 200)
    #expect(Set(codes.joined()).subtracting("-") == Set(Self.alphabet))
  }

  @Test func aCodeIsReadInEveryUsualSpelling() throws {
    // A code with zeros and ones in it.
    let code = try #require(try codes().first { $0.contains("0") && $0.contains("1") })
    let key = try key(code)
    for typed in [
      code.lowercased(), code.filter { $0 != "-" }, " \(code)\n",
      code.map { "\($0) " }.joined(), code.replacing("-", with: "\r\n\t"),
      code.replacing("0", with: "O"), code.replacing("0", with: "o"),
      code.replacing("1", with: "I"), code.replacing("1", with: "l"),
      code.replacing("1", with: "L").replacing("0", with: "o"),
    ] {
      #expect(try self.key(typed) == key, "\(typed)")
    }
  }

  @Test func everySingleWrongCharacterIsDetected() throws {
    let code = Array(text(try RecoveryCode.make().printable()))
    for index in code.indices where code[index] != "-" {
      for other in Self.alphabet where other != code[index] {
        var typed = code
        typed[index] = other
        #expect(rejects(String(typed)))
      }
    }
  }

  @Test func everySwapOfTwoNeighboursIsDetected() throws {
    for _ in 0..<20 {
      let code = Array(text(try RecoveryCode.make().printable()).filter { $0 != "-" })
      for index in code.indices.dropLast() where code[index] != code[index + 1] {
        var typed = code
        typed.swapAt(index, index + 1)
        #expect(rejects(String(typed)))
      }
    }
  }

  @Test func textThatIsNotACodeIsRefused() throws {
    let code = text(try RecoveryCode.make().printable())
    for typed in [
      "", "-", String(code.dropLast()), code + "0", code + code, code.replacing("-", with: "_"),
      String(repeating: "U", count: 35), "ÿ" + code, String(repeating: "0", count: 100_000),
    ] {
      #expect(rejects(typed))
    }
  }

  private func codes() throws -> [String] {
    try (0..<50).map { _ in text(try RecoveryCode.make().printable()) }
  }

  private func key(_ typed: String) throws -> [UInt8] {
    bytes(try RecoveryCode.parse(try secret(typed)).keyEncryptionKey(salt: salt))
  }

  private func rejects(_ typed: String) -> Bool {
    do {
      _ = try key(typed)
      return false
    } catch {
      return error as? CustodyError == .badRecoveryCode
    }
  }
}
