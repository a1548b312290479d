import Foundation
import Testing
import TokenVaultCrypto

@Suite(.timeLimit(.minutes(5))) struct SigningKeyTests {
  @Test func rfc7518_6_3_1_theNumbersOfThePublicKeyHaveNoLeadingZeroBytes() throws {
    let key = try SigningKey.generate()
    let jwk = try key.publicJWK
    let modulus = try #require(Base64URL.decode(jwk.n))
    #expect(modulus.count == 256)
    #expect(modulus[0] & 0x80 != 0)
    #expect(jwk.e == "AQAB")
    #expect(try SigningKey.generate().publicJWK.n != jwk.n)
  }

  @Test func anExportedKeySignsAsBefore() throws {
    let key = try SigningKey.generate()
    let again = try SigningKey(der: key.der())
    let message = Array("a message".utf8)
    #expect(try again.publicJWK == key.publicJWK)
    // RS256 is deterministic, so the same key gives the same signature.
    #expect(try again.sign(message) == key.sign(message))
    #expect(try again.sign(message) != key.sign(message + [0]))
  }

  @Test func rejectsAnythingButExactlyOneRSAKeyOf2048Bits() throws {
    let der = try SigningKey.generate().der().copied()
    let others = [
      [], [0x30], Array(der.dropLast()), der + [0], [UInt8](repeating: 0, count: 1 << 15),
    ]
    for other in others {
      #expect(throws: CryptoError.badParameters) {
        _ = try SigningKey(der: SecretBytes(copying: other))
      }
    }
    for algorithm in ["-algorithm RSA -pkeyopt rsa_keygen_bits:1024", "-algorithm ED25519"] {
      let foreign = try openssl("openssl genpkey \(algorithm) -outform DER 2>/dev/null")
      #expect(!foreign.isEmpty)
      #expect(throws: CryptoError.badParameters) {
        _ = try SigningKey(der: SecretBytes(copying: foreign))
      }
    }
  }

  @Test func theOpenSSLProgramAcceptsTheKeyAndTheSignature() throws {
    let key = try SigningKey.generate()
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: directory) } }
    let path = directory.path
    try Data(key.der().copied()).write(to: directory.appending(path: "key"))
    try Data("a message".utf8).write(to: directory.appending(path: "message"))
    try Data(key.sign(Array("a message".utf8))).write(to: directory.appending(path: "signature"))
    let answer = try openssl(
      "cd '\(path)' && openssl pkey -inform DER -in key -pubout -out public "
        + "&& openssl dgst -sha256 -verify public -signature signature message")
    #expect(String(decoding: answer, as: UTF8.self) == "Verified OK\n")
  }

  @Test func threadsMayShareAKey() throws {
    let key = try SigningKey.generate()
    let expected = try (0..<8).map { try key.sign([UInt8($0)]) }
    let threads = (0..<8).map { number in
      SigningThread { try (0..<20).map { _ in try key.sign([UInt8(number)]) } }
    }
    for (number, thread) in threads.enumerated() {
      #expect(try thread.value() == Array(repeating: expected[number], count: 20))
    }
  }
}

/// Runs a shell script and returns its standard output.
private func openssl(_ script: String) throws -> [UInt8] {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/bin/sh")
  process.arguments = ["-c", script]
  let output = Pipe()
  process.standardOutput = output
  process.standardInput = FileHandle.nullDevice
  try process.run()
  let answer = try output.fileHandleForReading.readToEnd() ?? Data()
  process.waitUntilExit()
  #expect(process.terminationStatus == 0)
  return Array(answer)
}

/// A separate thread with a result.
private final class SigningThread: @unchecked Sendable {
  private let ended = DispatchSemaphore(value: 0)
  private var result: Result<[[UInt8]], any Error>?

  init(_ body: @escaping @Sendable () throws -> [[UInt8]]) {
    Thread.detachNewThread { [self] in
      result = Result(catching: body)
      ended.signal()
    }
  }

  func value() throws -> [[UInt8]] {
    ended.wait()
    return try #require(try result?.get())
  }
}
