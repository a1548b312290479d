import Synchronization
import TokenVaultCrypto
import TokenVaultGroupStore
import TokenVaultModel

/// The tokens that the calls of one session have served, for calls that request the same again: they
/// need no transaction and no other thread.
///
/// A token is served again only while the file is the one that it was read from, and only by the rules
/// about time that served it before. The tokens are sealed, under a key that is made when the first one
/// is kept. Any commit, also of another process, ends all of them.
final class ServedTokens: Sendable {
  /// Everything in a call that determines its token.
  struct Request: Hashable, Sendable {
    let token: TokenRequest
    /// Nil for the current account.
    let account: Account?
    /// Whether the result has the ID token.
    let hasIDToken: Bool

    func hash(into hasher: inout Hasher) {
      hasher.combine(account?.identity.homeAccountID)
      hasher.combine(hasIDToken)
    }

    static func == (left: Request, right: Request) -> Bool {
      left.hasIDToken == right.hasIDToken && left.account == right.account
        && left.token == right.token && left.hasSameSubject(as: right)
    }

    /// Two texts of different bytes may be equal strings, but are two subjects.
    private func hasSameSubject(as other: Request) -> Bool {
      guard let own = account?.identity, let other = other.account?.identity else { return true }
      return own.homeAccountID.utf8.elementsEqual(other.homeAccountID.utf8)
        && own.issuer.utf8.elementsEqual(other.issuer.utf8)
    }
  }

  /// A result without its secrets.
  fileprivate struct Entry {
    let result: TokenResult
    let credential: Credential
    /// An earlier time means that the clock was set back.
    let since: Timestamp
    let accessToken: [UInt8]
    let idToken: [UInt8]?
  }

  private struct State {
    var mark: CommitMark?
    var key: SealingKey?
    var entries: [Request: Entry] = [:]
  }

  private static let mostEntries = 1_000
  private let state = Mutex(State())

  /// The token that the same request got before; nil if the group has to be read.
  func token(_ request: Request, now: Timestamp) -> TokenResult? {
    state.withLock { state in
      guard let mark = state.mark, let key = state.key, let entry = state.entries[request],
        entry.isServable(at: now, for: request.token.minimumValidity)
      else { return nil }
      guard mark.isCurrent else {
        state = State()
        return nil
      }
      // absent is an answer: the group has the token, too.
      do { return try entry.opened(with: key) } catch { return nil }
    }
  }

  /// Keeps a token that was read after `mark` was taken.
  func keep(_ result: TokenResult, for request: Request, since mark: CommitMark, now: Timestamp) {
    guard let credential = result.credential, !result.isRefreshDue, !result.isExtendedLifetime
    else {
      return
    }
    state.withLock { state in
      if !(state.mark?.isCurrent ?? false) || state.entries.count >= Self.mostEntries {
        state = State()
      }
      // absent is an answer: without memory for a key, the next call reads the group.
      do {
        let key = try state.key ?? SealingKey(SecretBytes.random(count: 32))
        let entry = try Entry(result, credential, since: now, sealedWith: key)
        (state.key, state.mark) = (key, state.mark ?? mark)
        state.entries[request] = entry
      } catch { state = State() }
    }
  }

  /// Forgets the tokens if the file has changed.
  func removeOutdated() {
    state.withLock { state in
      guard let mark = state.mark, !mark.isCurrent else { return }
      state = State()
    }
  }

  func removeAll() {
    state.withLock { $0 = State() }
  }
}

extension ServedTokens.Entry {
  fileprivate init(
    _ result: TokenResult, _ credential: Credential, since: Timestamp, sealedWith key: SealingKey
  ) throws(CryptoError) {
    accessToken = try key.seal(result.accessToken.reveal(), associatedData: [])
    if let token = result.idToken {
      idToken = try key.seal(Array(token.reveal().utf8), associatedData: [])
    } else {
      idToken = nil
    }
    var bare = result
    (bare.accessToken, bare.idToken, bare.credential) = (Redacted([]), nil, nil)
    self.result = bare
    self.credential = credential
    self.since = since
  }

  /// Whether a reader of the group would serve this token.
  fileprivate func isServable(at now: Timestamp, for minimum: Int64?) -> Bool {
    now >= since && credential.isValid(at: now, for: minimum)
      && credential.refreshOn.map { now < $0 } ?? true
  }

  fileprivate func opened(with key: SealingKey) throws(CryptoError) -> TokenResult {
    var result = result
    result.accessToken = Redacted(try key.open(accessToken, associatedData: []))
    if let idToken {
      let bytes = try key.open(idToken, associatedData: [])
      result.idToken = Redacted(String(decoding: bytes, as: UTF8.self))
    }
    return result
  }
}
