import Foundation
import Testing
import TokenVaultCFront
import TokenVaultSystem
import TokenVaultTestSupport

@testable import TokenVaultKeyCustody

/// The front begins a conversation with the keyring before its runtime starts.
@Suite(.timeLimit(.minutes(1))) struct EarlyConnectionTests {
  private let directory: TemporaryDirectory
  private let path: String
  private let listener: Int32

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("bus")
    listener = try UnixSocket.listen(path)
  }

  @Test func theFrontSendsTheFirstMessageOfTheReader() throws {
    defer { close(listener) }
    let reader = try SecretServiceReader.begin(
      "unix:path=\(path)", Deadline(milliseconds: 1_000))
    let bus = accept(listener, nil, nil)
    defer { close(bus) }
    let expected = try #require(UnixSocket.read(bus))
    _ = consume reader
    var message = [CChar](repeating: 0, count: TV_FIRST_MESSAGE)
    let size = Int(unsafe tv_first_message(&message))
    // Elsewhere, the front starts without these instructions.
    #if arch(x86_64)
      #expect(Data(message.prefix(size).map { UInt8(bitPattern: $0) }) == expected)
    #endif
    #expect(size <= TV_FIRST_MESSAGE)
  }

  @Test func aConnectionToAnotherSocketIsClosedAndNotUsed() throws {
    defer { close(listener) }
    let offered = try UnixSocket.connect(path)
    let bus = accept(listener, nil, nil)
    defer { close(bus) }
    EarlyConnection.offer(offered, to: Array(path.utf8))
    #expect(EarlyConnection.take("unix:path=\(path)-2") == nil)
    // The end.
    #expect(UnixSocket.read(bus) == nil)
    #expect(EarlyConnection.take("unix:path=\(path)") == nil)
  }
}
