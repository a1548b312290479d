import Synchronization
import VaultModel

/// The keys of the providers that were met, kept for the life of the object.
package final class ProviderKeys: Sendable {
  /// How many seconds lie between two looks for a key that was not there: tokens with names of keys
  /// made up must not make this a tool for flooding the provider.
  package static let patience: Int64 = 300

  private struct Entry {
    var keys: KeySet?
    var lookedAgain: Timestamp?
    var isBeingFetched = false
  }

  private enum Step {
    case use(KeySet)
    case fetch
    case wait
  }

  private let transport: any HTTPTransport
  private let entries = Mutex<[WebAddress: Entry]>([:])

  /// No keys yet; they come over `transport`.
  package init(transport: any HTTPTransport) { self.transport = transport }

  /// Validates a token with the keys that its provider has at `address`.
  /// - Throws: ``SignInError/idToken(_:)``; ``SignInError/transport(_:)`` and
  ///   ``SignInError/cancelled`` where the keys had to be fetched.
  package func validate(
    _ token: String, _ expectations: IDTokenExpectations, keysAt address: WebAddress,
    _ cancellation: Cancellation
  ) throws(SignInError) -> IDToken {
    let token = try SignedToken(token)
    let keys = try keys(at: address, named: token.keyID, expectations.now, cancellation)
    return try expectations.validate(token, keys: keys)
  }

  private func keys(
    at address: WebAddress, named id: String?, _ now: Timestamp, _ cancellation: Cancellation
  ) throws(SignInError) -> KeySet {
    while true {
      switch nextStep(address, id, now) {
      case .use(let keys): return keys
      case .fetch: return try fetch(address, cancellation)
      case .wait: try cancellation.wait(milliseconds: 20)
      }
    }
  }

  /// One thread fetches; others that need the same keys wait for it.
  private func nextStep(_ address: WebAddress, _ id: String?, _ now: Timestamp) -> Step {
    entries.withLock { entries in
      var entry = entries[address] ?? Entry()
      if let keys = entry.keys, id.map(keys.hasKey) ?? true { return .use(keys) }
      if entry.isBeingFetched { return .wait }
      if let keys = entry.keys {
        // A clock that was set back must not end the looking.
        if let last = entry.lookedAgain, last <= now, now < last.advanced(by: Self.patience) {
          return .use(keys)
        }
        entry.lookedAgain = now
      }
      entry.isBeingFetched = true
      entries[address] = entry
      return .fetch
    }
  }

  private func fetch(
    _ address: WebAddress, _ cancellation: Cancellation
  ) throws(SignInError) -> KeySet {
    let fetched = Result { () throws(SignInError) in
      let answer = try transport.exchange(
        HTTPRequest(
          address, headers: [("Accept", "application/json")], answerLimit: KeySet.sizeLimit),
        cancellation)
      guard answer.status == 200 else { throw .idToken(.keysUnavailable) }
      return try KeySet(answer.body)
    }
    entries.withLock { entries in
      entries[address]?.isBeingFetched = false
      if case .success(let keys) = fetched { entries[address]?.keys = keys }
    }
    return try fetched.get()
  }
}
