import Foundation
import Synchronization
import Testing
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultSignIn

@Suite(.timeLimit(.minutes(5))) struct ProviderKeysTests {
  private let signer: TestSigner
  private let address: HTTPURL

  init() throws {
    signer = try TestSigner.shared.get()
    address = try #require(HTTPURL("https://id.example/keys"))
  }

  private func validate(
    _ keys: ProviderKeys, kid: String, after seconds: Int64 = 0, at other: HTTPURL? = nil
  ) throws {
    var expected = expectations()
    expected.now = now.advanced(by: seconds)
    let token = try signer.token(kid: kid, ["exp": at(100_000)])
    _ = try keys.validate(token, expected, keysAt: other ?? address, Cancellation())
  }

  @Test func oidcCore_10_1_1_keysAreFetchedOnceForAllTokens() throws {
    let provider = KeyServer(document([try signer.jwk("k1"), try signer.jwk("k2")]))
    let keys = ProviderKeys(transport: provider)
    for kid in ["k1", "k2", "k1"] { try validate(keys, kid: kid, after: 90_000) }
    #expect(provider.requests.map(\.description) == ["https://id.example/keys"])
    let other = try #require(HTTPURL("https://other.example/keys"))
    try validate(keys, kid: "k1", at: other)
    #expect(provider.requests.count == 2)
  }

  @Test func oidcCore_10_1_1_aNewKeyIsFetchedOnce() throws {
    let provider = KeyServer(document([try signer.jwk("k1")]))
    let keys = ProviderKeys(transport: provider)
    try validate(keys, kid: "k1")
    provider.answer(document([try signer.jwk("k2")]))
    try validate(keys, kid: "k2", after: 1)
    #expect(provider.requests.count == 2)
    // The provider's new set no longer contains the old key.
    #expect(throws: SignInError.idToken(.key)) { try validate(keys, kid: "k1", after: 2) }
    #expect(provider.requests.count == 2)
  }

  @Test func oidcCore_10_1_1_aKeyThatChangedUnderItsIDOrHasNoneIsFetched()
    throws
  {
    let stranger = TestSigner(key: try .generate())
    for name in ["k1", nil] {
      let provider = KeyServer(document([try stranger.jwk(name)]))
      let keys = ProviderKeys(transport: provider)
      let token = try stranger.token(kid: name)
      _ = try keys.validate(token, expectations(), keysAt: address, Cancellation())
      provider.answer(document([try signer.jwk(name)]))
      let newer = try signer.token(kid: name)
      _ = try keys.validate(newer, expectations(), keysAt: address, Cancellation())
      #expect(provider.requests.count == 2)
      for _ in 0..<5 {
        #expect(throws: SignInError.idToken(.signature)) {
          try keys.validate(token, expectations(), keysAt: address, Cancellation())
        }
      }
      #expect(provider.requests.count == 2)
    }
  }

  @Test func aSearchThatDidNotReachTheProviderIsRepeatedAtOnce() throws {
    let provider = KeyServer(document([try signer.jwk("k1")]))
    let keys = ProviderKeys(transport: provider)
    try validate(keys, kid: "k1")
    provider.answer(nil)
    for _ in 0..<2 {
      #expect(throws: SignInError.transport(.timedOut(host: "id.example"))) {
        try validate(keys, kid: "k2")
      }
    }
    provider.answer(document([try signer.jwk("k2")]))
    try validate(keys, kid: "k2")
  }

  @Test func otherDefectsOfATokenDoNotFetchKeys() throws {
    let provider = KeyServer(document([try signer.jwk("k1")]))
    let keys = ProviderKeys(transport: provider)
    try validate(keys, kid: "k1")
    #expect(throws: SignInError.idToken(.audience)) {
      try keys.validate(
        signer.token(["aud": .string("other")]), expectations(), keysAt: address, Cancellation())
    }
    #expect(provider.requests.count == 1)
  }

  @Test func inventedKeyIDsDoNotFloodTheProvider() throws {
    let provider = KeyServer(document([try signer.jwk("k1")]))
    let keys = ProviderKeys(transport: provider)
    for second in 0..<40 {
      #expect(throws: SignInError.idToken(.key)) {
        try validate(keys, kid: "made-up-\(second)", after: Int64(second) * 10)
      }
    }
    // One request for the keys, one at 10 s, one at 310 s.
    #expect(provider.requests.count == 3)
    try validate(keys, kid: "k1")
    #expect(provider.requests.count == 3)
  }

  @Test func aClockThatWasSetBackDoesNotStopTheSearch() throws {
    let provider = KeyServer(document([try signer.jwk("k1")]))
    let keys = ProviderKeys(transport: provider)
    try validate(keys, kid: "k1", after: 50_000)
    #expect(throws: SignInError.idToken(.key)) { try validate(keys, kid: "k2", after: 50_000) }
    #expect(throws: SignInError.idToken(.key)) { try validate(keys, kid: "k2", after: 10) }
    #expect(provider.requests.count == 3)
  }

  @Test func keysAreFetchedAgainAfterAResponseWithoutUsableKeys() throws {
    let provider = KeyServer(Array("gone".utf8), status: 503)
    let keys = ProviderKeys(transport: provider)
    for _ in 0..<2 {
      #expect(throws: SignInError.idToken(.keysUnavailable)) { try validate(keys, kid: "k1") }
    }
    provider.answer(Array("{}".utf8))
    #expect(throws: SignInError.idToken(.keysUnavailable)) { try validate(keys, kid: "k1") }
    provider.answer(nil)
    #expect(throws: SignInError.transport(.timedOut(host: "id.example"))) {
      try validate(keys, kid: "k1")
    }
    provider.answer(document([try signer.jwk("k1")]))
    try validate(keys, kid: "k1")
    #expect(provider.requests.count == 5)
  }

  @Test func aMalformedTokenCausesNoRequest() throws {
    let provider = KeyServer(document([]))
    let keys = ProviderKeys(transport: provider)
    #expect(throws: SignInError.idToken(.notAToken)) {
      try keys.validate("a.b.c", expectations(), keysAt: address, Cancellation())
    }
    #expect(throws: SignInError.idToken(.algorithm)) {
      try keys.validate(
        signer.token(alg: "none"), expectations(), keysAt: address, Cancellation())
    }
    #expect(provider.requests.isEmpty)
  }

  @Test func threadsThatNeedTheSameKeysFetchThemOnce() throws {
    let started = Mutex(0)
    // The response comes once all threads have started, late enough for one that does not wait to
    // send a request of its own.
    let provider = KeyServer(document([try signer.jwk("k1")])) {
      while started.withLock({ $0 }) < 16 { usleep(1000) }
      usleep(300_000)
    }
    let keys = ProviderKeys(transport: provider)
    let accepted = Mutex(0)
    let ended = DispatchSemaphore(value: 0)
    for _ in 0..<16 {
      Thread.detachNewThread {
        started.withLock { $0 += 1 }
        do {
          try validate(keys, kid: "k1")
          accepted.withLock { $0 += 1 }
        } catch { Issue.record(error) }
        ended.signal()
      }
    }
    for _ in 0..<16 {
      #expect(ended.wait(timeout: .now() + 120) == .success)
    }
    #expect(accepted.withLock { $0 } == 16)
    #expect(provider.requests.count == 1)
  }
}

/// Returns the same document for every request.
private final class KeyServer: BlockingTransport {
  private let state: Mutex<(body: [UInt8]?, status: Int, requests: [HTTPURL])>

  private let hold: @Sendable () -> Void

  init(_ body: [UInt8], status: Int = 200, hold: @escaping @Sendable () -> Void = {}) {
    state = Mutex((body, status, []))
    self.hold = hold
  }

  var requests: [HTTPURL] { state.withLock { $0.requests } }

  func answer(_ body: [UInt8]?) { state.withLock { ($0.body, $0.status) = (body, 200) } }

  func send(
    _ request: HTTPRequest, _ cancellation: Cancellation
  ) throws(TransportError) -> HTTPResponse {
    let answer = state.withLock { state in
      state.requests.append(request.address)
      return state.body.map { HTTPResponse(status: state.status, body: $0) }
    }
    hold()
    guard let answer else { throw .timedOut(host: request.address.host) }
    return answer
  }
}
