import Foundation
@testable import TokenVaultKeyCustody
import Testing
import TokenVaultTestSupport
import TokenVaultCrypto

@Suite(.timeLimit(.minutes(10))) struct SessionBusTests {
  @Test(arguments: [
    ("unix:path=/run/bus", ["/run/bus"]),
    ("unix:abstract=/tmp/x,guid=00ff", ["\0/tmp/x"]),
    ("unix:guid=1,path=/a;unix:path=/b", ["/a", "/b"]),
    ("unix:path=/with%20space%2c", ["/with space,"]),
    ("tcp:host=localhost,port=1;unix:path=/b", ["/b"]),
    ("unix:path=/bad%2", []), ("unix:path=/bad%zz", []), ("unix:path=", []),
    ("unix:path=/nul%00", []), ("unix:tmpdir=/tmp", []), ("", []), (";;", []),
  ])
  func anAddressListNamesTheSocketsToTry(addresses: String, names: [String]) {
    #expect(
      SessionBus.socketNames(addresses).map { String(decoding: $0, as: UTF8.self) } == names)
  }

  @Test func theNextAddressOfAListIsTriedWhenOneDoesNotAnswer() throws {
    let service = try PrivateSecretService()
    let tooLong = String(repeating: "x", count: 200)
    let custodian = service.custodian(
      busAddress: "unix:path=/nowhere;unix:path=/\(tooLong);\(service.busAddress)")
    #expect(custodian.status().failure == nil)
  }

  @Test func anAbstractSocketIsReached() throws {
    let service = try PrivateSecretService(abstractAddress: true)
    #expect(service.busAddress.contains("abstract="))
    #expect(service.custodian().status().failure == nil)
  }

  @Test func aPeerThatIsNotABusCausesAnErrorAndNoCrash() async throws {
    for greeting in [
      "", "REJECTED EXTERNAL\r\n", "HTTP/1.1 400 Bad Request\r\n\r\n", "OK",
      String(repeating: "x", count: 10_000), "OK 1\r\n",
    ] {
      let peer = try ReplayingPeer([Data(greeting.utf8)])
      defer { peer.stop() }
      let custodian = SecretServiceCustodian(busAddress: peer.busAddress, allowPrompt: false)
      let error = failure { () throws(CustodyError) in _ = try custodian.key(.fresh()) }
      #expect(error != nil)
      #expect(error != .keyMissing(generation: 1) && error != .wrongKey)
    }
  }

  @Test func aPeerThatFloodsIsDisconnected() async throws {
    // One endless message, and an endless series of small ones.
    let signal: [UInt8] = [108, 4, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
    let huge: [UInt8] = [108, 2, 1, 1, 255, 255, 255, 127, 1, 0, 0, 0, 0, 0, 0, 0]
    for flood in [Array(repeating: signal, count: 200_000).flatMap { $0 }, huge] {
      let peer = try ReplayingPeer([Data("OK 1\r\n".utf8) + Data(flood)])
      defer { peer.stop() }
      let custodian = SecretServiceCustodian(busAddress: peer.busAddress, allowPrompt: false)
      #expect(
        failure { () throws(CustodyError) in _ = try custodian.key(.fresh()) } == .badAnswer)
    }
  }

  @Test func noMutationOfAnHonestConversationCrashesOrReturnsAnotherKey() async throws {
    let service = try PrivateSecretService()
    let id = GroupKeyID.fresh()
    let key = try SecretBytes.random(count: 32)
    try service.custodian().store(key, as: id)
    let relay = try BusRelay(to: service)
    _ = try service.custodian(busAddress: relay.busAddress).key(id)
    relay.stop()
    let honest = relay.recordedAnswers
    let text = Data(Base64URL.encode(bytes(key)).utf8)
    let keyRange = try #require(honest.range(of: text))

    var generator = SplitMix(state: 20_261_121)
    var replays = [honest]
    // Every byte once, every cut, and heavier damage by chance.
    for index in honest.indices {
      var copy = honest
      copy[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      replays.append(copy)
      replays.append(honest[..<index])
    }
    for _ in 0..<2000 {
      var copy = honest
      for _ in 0..<Int.random(in: 1...8, using: &generator) {
        let index = copy.indices.randomElement(using: &generator) ?? 0
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: copy[index] = [0, 1, 127, 128, 255].randomElement(using: &generator) ?? 0
        case 1: copy[index] = UInt8.random(in: 0...255, using: &generator)
        case 2: copy.remove(at: index)
        default: copy.insert(UInt8.random(in: 0...255, using: &generator), at: index)
        }
      }
      replays.append(copy)
    }

    let peer = try ReplayingPeer(replays)
    defer { peer.stop() }
    let custodian = SecretServiceCustodian(busAddress: peer.busAddress, allowPrompt: false)
    for (number, replay) in replays.enumerated() {
      do throws(CustodyError) {
        let answer = bytes(try custodian.key(id))
        // Only a change in the text of the key itself goes unnoticed by the protocol.
        let isKeyTouched = number > 0 && replay.range(of: text) == nil
        #expect(answer == bytes(key) || isKeyTouched, "replay \(number)")
      } catch {
        #expect(number > 0, "the honest conversation: \(error)")
      }
    }
    #expect(!keyRange.isEmpty)
  }
}

/// Answers its nth client with the nth text, without reading the request first.
private final class ReplayingPeer: Sendable {
  let busAddress: String
  private let listener: Int32
  private let directory: URL

  init(_ replays: [Data]) throws {
    directory = URL(filePath: "/tmp/tv-\(UUID().uuidString.prefix(13))")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let path = directory.appending(path: "bus").path
    busAddress = "unix:path=\(path)"
    listener = try UnixSocket.listen(path)
    let listener = self.listener
    Thread.detachNewThread {
      for replay in replays {
        let client = accept(listener, nil, nil)
        if client < 0 { break }
        if UnixSocket.write(replay, to: client) { shutdown(client, Int32(SHUT_WR)) }
        while UnixSocket.read(client) != nil {}
        close(client)
      }
      close(listener)
    }
  }

  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    #expect(throws: Never.self) { try FileManager.default.removeItem(at: directory) }
  }
}

private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}
