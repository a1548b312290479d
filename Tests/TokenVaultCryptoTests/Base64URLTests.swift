import Foundation
import Testing
import TokenVaultCrypto

@Suite(.timeLimit(.minutes(5))) struct Base64URLTests {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

  @Test(arguments: [
    ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"),
    ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
  ])
  func encodesTheVectorsOfRFC4648WithoutPadding(plain: String, text: String) {
    #expect(Base64URL.encode(Array(plain.utf8)) == text)
    #expect(Base64URL.decode(text) == Array(plain.utf8))
  }

  @Test func agreesWithFoundationAndRoundTripsForEveryLengthUpTo300()
    throws
  {
    for count in 0...300 {
      let bytes = try RandomBytes.make(count)
      let text = Base64URL.encode(bytes)
      let expected = Data(bytes).base64EncodedString()
        .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
        .replacingOccurrences(of: "=", with: "")
      #expect(text == expected)
      #expect(Base64URL.decode(text) == bytes)

      let secret = try Base64URL.encodeSecret(SecretBytes(copying: bytes))
      #expect(secret.copied() == Array(text.utf8))
      let decoded = try Base64URL.decodeSecret(secret).copied()
      #expect(decoded == bytes)
    }
  }

  @Test func rejectsNonzeroTrailingBits() {
    for a in Self.alphabet {
      for b in Self.alphabet {
        for text in ["\(a)\(b)", "AAAA\(a)\(b)", "A\(a)\(b)"] {
          let decoded = Base64URL.decode(text)
          let bits = Self.alphabet.firstIndex(of: b) ?? 0
          let mask = text.count % 4 == 2 ? 15 : 3
          #expect((decoded != nil) == (bits & mask == 0), "\(text)")
          if let decoded { #expect(Base64URL.encode(decoded) == text) }
        }
      }
    }
  }

  @Test func rejectsEveryForeignCharacterInEveryPosition() throws {
    let known = Set(Self.alphabet.flatMap(\.utf8))
    for byte in UInt8.min...UInt8.max where !known.contains(byte) {
      for place in 0..<4 {
        var ascii = Array("AAAA".utf8)
        ascii[place] = byte
        #expect(throws: CryptoError.badParameters) {
          _ = try Base64URL.decodeSecret(SecretBytes(copying: ascii))
        }
        #expect(Base64URL.decode(String(decoding: ascii, as: UTF8.self)) == nil)
      }
    }
  }

  @Test(arguments: ["A", "AAAAA", "Zg==", "Zm8=", "Zg=", "=", "Zm9v\n", " Zm9v", "Zm9v=", "Zmé"])
  func rejectsPaddingSpaceAndASurplusCharacter(text: String) throws {
    #expect(Base64URL.decode(text) == nil)
    #expect(throws: CryptoError.badParameters) {
      _ = try Base64URL.decodeSecret(SecretBytes(copying: Array(text.utf8)))
    }
  }
}
