import TokenVaultModel

/// What concerns the group as a whole: one small sealed row, rewritten by each change.
package struct GroupState: Hashable, Sendable {
  /// The account a client saw last as the current one (MSAL's principal account).
  package struct Principal: Hashable, Sendable {
    /// The account's tag.
    package var account: [UInt8]
    /// Who it was, for as long as the client may still be told who left; nil once erased.
    package var signedOutAccount: SignedOutAccount?

    package init(account: [UInt8], signedOutAccount: SignedOutAccount? = nil) {
      self.account = account
      self.signedOutAccount = signedOutAccount
    }
  }

  /// Who an account was that a shared device signed out.
  package struct SignedOutAccount: Hashable, Sendable {
    package var homeAccountID: String
    package var environment: String
    package var username: String

    package init(homeAccountID: String, environment: String, username: String) {
      self.homeAccountID = homeAccountID
      self.environment = environment
      self.username = username
    }
  }

  /// The key of `generation` was deleted from the keyring in the boot `boot`, which a power cut may
  /// undo: a later boot looks once more. Until then a wrapped successor key row, where the keyring is to have the
  /// next key, leads on to that from `generation`'s.
  struct WrappedSuccessor: Hashable, Sendable {
    var generation: UInt64
    var boot: String
  }

  /// Counts commits.
  package internal(set) var changes: UInt64 = 0
  package internal(set) var accountCount: UInt64 = 0
  /// A sum over all account rows; see ``RowSum``.
  var rows = RowSum()
  /// The tag of the current account; nil for none.
  package var current: [UInt8]?
  /// By client id, folded.
  package var principals: [String: Principal] = [:]
  /// Generations whose key may still be in the Secret Service.
  package internal(set) var pendingDeletions: [UInt64] = []
  var wrappedSuccessors: [WrappedSuccessor] = []
  /// The key-encryption keys of the two key slots; empty where there is no slot. They are kept so
  /// that a rotation can seal the next key without asking for the passphrase again.
  var slotKeys: [Int64: [UInt8]] = [:]
}

/// A sum modulo 2^256 of one keyed digest for each account row. It tells that a row is missing,
/// was added, or is an older version of itself, at a constant cost for each write.
struct RowSum: Hashable, Sendable {
  private(set) var words: [UInt64] = [0, 0, 0, 0]

  mutating func add(_ digest: [UInt8]) { combine(digest) { $0.addingReportingOverflow($1) } }
  mutating func subtract(_ digest: [UInt8]) {
    combine(digest) { $0.subtractingReportingOverflow($1) }
  }

  private mutating func combine(
    _ digest: [UInt8], _ operation: (UInt64, UInt64) -> (partialValue: UInt64, overflow: Bool)
  ) {
    var carry: UInt64 = 0
    for index in 0..<4 {
      let word = digest[(index * 8)..<(index * 8 + 8)].reduce(0) { $0 << 8 | UInt64($1) }
      let first = operation(words[index], word)
      let second = operation(first.partialValue, carry)
      words[index] = second.partialValue
      carry = first.overflow || second.overflow ? 1 : 0
    }
  }

  init() {}
  init(words: [UInt64]) throws(StoreError) {
    guard words.count == 4 else { throw .damaged(rows: nil) }
    self.words = words
  }
}

extension GroupState {
  private static let version: UInt64 = 1

  func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.number(Self.version)
    writer.number(changes)
    writer.number(accountCount)
    writer.list(rows.words) { $0.number($1) }
    writer.data(current ?? [])
    writer.list(principals.sorted { $0.key < $1.key }) { writer, principal in
      writer.text(principal.key)
      writer.data(principal.value.account)
      writer.list(principal.value.signedOutAccount.map { [$0] } ?? []) { writer, signedOutAccount in
        writer.text(signedOutAccount.homeAccountID)
        writer.text(signedOutAccount.environment)
        writer.text(signedOutAccount.username)
      }
    }
    writer.list(pendingDeletions) { $0.number($1) }
    writer.list(wrappedSuccessors) { writer, wrappedSuccessor in
      writer.number(wrappedSuccessor.generation)
      writer.text(wrappedSuccessor.boot)
    }
    writer.list(slotKeys.sorted { $0.key < $1.key }) { writer, slot in
      writer.signed(slot.key)
      writer.data(slot.value)
    }
    return writer.bytes
  }

  init(encoded bytes: [UInt8]) throws(StoreError) {
    var reader = ByteReader(bytes)
    guard try reader.number() == Self.version else { throw .damaged(rows: nil) }
    changes = try reader.number()
    accountCount = try reader.number()
    rows = try RowSum(words: try reader.list { reader throws(StoreError) in try reader.number() })
    let current = try reader.data()
    self.current = current.isEmpty ? nil : current
    for (client, principal) in try reader.list({ reader throws(StoreError) in
      (
        try reader.text(),
        Principal(
          account: try reader.data(),
          signedOutAccount: try reader.list { reader throws(StoreError) in
            SignedOutAccount(
              homeAccountID: try reader.text(), environment: try reader.text(),
              username: try reader.text())
          }.first)
      )
    }) {
      principals[client] = principal
    }
    pendingDeletions = try reader.list { reader throws(StoreError) in try reader.number() }
    wrappedSuccessors = try reader.list { reader throws(StoreError) in
      WrappedSuccessor(generation: try reader.number(), boot: try reader.text())
    }
    for (slot, key) in try reader.list({ reader throws(StoreError) in
      (try reader.signed(), try reader.data())
    }) {
      slotKeys[slot] = key
    }
    try reader.end()
  }
}
