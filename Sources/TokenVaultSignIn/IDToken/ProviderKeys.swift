import Synchronization
import TokenVaultModel

/// A cache of providers' JWK sets, for the lifetime of the object.
package final class ProviderKeys: Sendable {
  /// The shortest time, in seconds, between two searches for a missing key. It keeps tokens with
  /// invented key ids from turning this process into a tool for flooding the provider.
  package static let patience: Int64 = 300

  private struct Edition {
    var keys: JWKSet
    var number: Int
    var isFresh = false
  }

  private struct Entry {
    var edition: Edition?
    var lookedAgain: Timestamp?
    var isBeingFetched = false
  }

  private enum Step {
    case use(Edition?)
    case fetch
    case wait
  }

  private let transport: any BlockingTransport
  private let entries = Mutex<[HTTPURL: Entry]>([:])

  /// An empty cache, filled over `transport`.
  package init(transport: any BlockingTransport) { self.transport = transport }

  /// Validates a token with its provider's JWK set at `address`. If no known key fits, the keys may
  /// have changed (OIDC Core section 10.1.1), with or without a new id: the set is fetched again,
  /// at most once in ``patience`` unless fetching fails.
  /// - Throws: ``SignInError/idToken(_:)``; while keys are fetched, ``SignInError/transport(_:)``
  ///   and ``SignInError/cancelled``.
  package func validate(
    _ token: String, _ expectations: IDTokenExpectations, keysAt address: HTTPURL,
    _ cancellation: Cancellation
  ) throws(SignInError) -> IDToken {
    let token = try SignedToken(token)
    let known = try edition(at: address, after: nil, expectations.now, cancellation)
    guard let known else { throw .idToken(.keysUnavailable) }
    do { return try expectations.validate(token, keys: known.keys) } catch {
      guard error == .idToken(.key) || error == .idToken(.signature), !known.isFresh,
        let newer = try edition(at: address, after: known, expectations.now, cancellation)
      else { throw error }
      return try expectations.validate(token, keys: newer.keys)
    }
  }

  /// Returns nil if it is too early to look for a newer edition.
  private func edition(
    at address: HTTPURL, after old: Edition?, _ now: Timestamp, _ cancellation: Cancellation
  ) throws(SignInError) -> Edition? {
    while true {
      switch nextStep(address, old, now) {
      case .use(let edition): return edition
      case .fetch: return try fetch(address, cancellation)
      case .wait: try cancellation.wait(milliseconds: 20)
      }
    }
  }

  /// One thread fetches; the others that need the same keys wait for it.
  private func nextStep(_ address: HTTPURL, _ old: Edition?, _ now: Timestamp) -> Step {
    entries.withLock { entries in
      var entry = entries[address] ?? Entry()
      if let known = entry.edition, known.number > old?.number ?? 0 { return .use(known) }
      if entry.isBeingFetched { return .wait }
      if old != nil {
        // A clock that was set back must not stop the search for newer keys.
        if let last = entry.lookedAgain, last <= now, now < last.advanced(by: Self.patience) {
          return .use(nil)
        }
        entry.lookedAgain = now
      }
      entry.isBeingFetched = true
      entries[address] = entry
      return .fetch
    }
  }

  private func fetch(
    _ address: HTTPURL, _ cancellation: Cancellation
  ) throws(SignInError) -> Edition {
    let fetched = Result { () throws(SignInError) in
      let answer = try transport.exchange(
        HTTPRequest(
          address, headers: [("Accept", "application/json")], answerLimit: JWKSet.sizeLimit),
        cancellation)
      guard answer.status == 200 else { throw .idToken(.keysUnavailable) }
      return try JWKSet(answer.body)
    }
    return try entries.withLock { (entries) throws(SignInError) in
      var entry = entries[address] ?? Entry()
      entry.isBeingFetched = false
      defer { entries[address] = entry }
      // A search without a result is repeated for the next token: the keys may be there by then.
      if case .failure = fetched { entry.lookedAgain = nil }
      var edition = Edition(keys: try fetched.get(), number: (entry.edition?.number ?? 0) + 1)
      entry.edition = edition
      edition.isFresh = true
      return edition
    }
  }
}
