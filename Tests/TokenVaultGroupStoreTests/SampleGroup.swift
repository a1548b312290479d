import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore

/// A small group whose whole content is known: three accounts with names, tokens and metadata, a
/// recovery slot, and a fourth account that was signed out by the rotation to generation 2.
///
/// `Fixtures/v1-group.vault` was made by `make(at:keys:)`; `SampleGroup.content` is what it holds.
enum SampleGroup {
  /// The keys, which stand beside the fixture in a file of their own.
  struct Keys: Codable {
    var groupID: String
    var firstGeneration: String
    var secondGeneration: String
    var recoverySlot: String

    static func fixture() throws -> Keys {
      try JSONDecoder().decode(
        Keys.self, from: Data(contentsOf: fixtures.appending(path: "v1-group.json")))
    }
  }

  static let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Fixtures")

  static let alice: AccountRecord = record(
    "9f1-alice.contoso-tid", "Alice@Contoso.example", alias: "work")
  static let bob: AccountRecord = record(
    "subject-Bob", "bob@fabrikam.example", host: "id.fabrikam.example")
  static let carol: AccountRecord = record("carol-id.contoso-tid", "carol@contoso.example")
  static let dave: AccountRecord = record("dave-id.contoso-tid", "dave.signed.out@contoso.example")

  static func record(
    _ id: String, _ username: String, alias: String = "",
    host: String = "login.microsoftonline.com"
  ) -> AccountRecord {
    var record = AccountRecord(
      homeAccountID: id, environment: host,
      authorityType: host.hasPrefix("login.") ? .entra : .oidc)
    record.alias = alias
    record.profiles = [
      AccountRecord.Profile(
        tenantID: "contoso-tid", localAccountID: "local-\(id)", username: username,
        environment: host, claimsJSON: Array(#"{"name":"\#(username)"}"#.utf8))
    ]
    record.clients = ["client-one": .signedIn]
    return record
  }

  static func credential(_ kind: Credential.Kind, for record: AccountRecord) -> Credential {
    var credential = Credential(
      kind: kind, clientID: "client-one", environment: record.environment)
    credential.cachedAt = Timestamp(epochSeconds: 1_700_000_000)
    if kind == .accessToken {
      credential.realm = "contoso-tid"
      credential.target = "User.Read Mail.Send"
      credential.expiresOn = Timestamp(epochSeconds: 1_700_003_600)
    }
    return credential
  }

  static func secret(_ kind: Credential.Kind, of record: AccountRecord) -> String {
    "\(kind.word)-secret-of-\(record.username)"
  }

  @discardableResult
  static func add(
    _ record: AccountRecord, to transaction: GroupTransaction,
    kinds: [Credential.Kind] = [.accessToken, .refreshToken]
  ) throws -> StoredAccount {
    var account = try transaction.insert(record)
    for kind in kinds {
      try transaction.store(
        credential(kind, for: record),
        Payload(
          secret: Redacted(Array(secret(kind, of: record).utf8)),
          extraJSON: Array(#"{"unknown":true}"#.utf8)),
        in: &account)
    }
    try transaction.update(&account)
    return account
  }

  static func make(at path: String, keys: Keys) throws {
    let header = GroupHeader(
      groupID: bytes(hex: keys.groupID), generation: 1, custody: .secretService)
    let group = try GroupCreation.draft(
      path, header: header, key: SecretBytes(copying: bytes(hex: keys.firstGeneration)))
    let leaver = try group.write { transaction in
      let current = try add(Self.alice, to: transaction)
      try add(Self.bob, to: transaction, kinds: [.secret])
      try add(Self.carol, to: transaction)
      transaction.state.current = current.tag
      transaction.state.principals["client-one"] = GroupState.Principal(
        account: current.tag,
        signedOutAccount: GroupState.SignedOutAccount(
          homeAccountID: "old-id", environment: "old.example", username: "old@contoso.example"))
      try transaction.setExtras(Array(#"{"AppMetadata":{}}"#.utf8))
      try transaction.setSlot(
        .recovery, under: SecretBytes(copying: bytes(hex: keys.recoverySlot)),
        parameters: LockedGroup.Slot.Parameters(salt: [UInt8](repeating: 7, count: 32)))
      return try add(Self.dave, to: transaction)
    }
    try group.write { transaction in
      _ = try transaction.rotate(
        to: SecretBytes(copying: bytes(hex: keys.secondGeneration)), erasing: [leaver],
        boot: "boot-of-the-fixture", keepsWrappedSuccessor: true, deletesOldKey: true)
    }
    _ = try group.truncateLog()
    close(group)
    try GroupCreation.publish(path)
  }

  private static func close(_ group: consuming UnlockedGroup) {}

  /// All that a group says, without what is random in its file.
  struct Content: Equatable {
    struct Stored: Equatable {
      var credential: Credential
      var secret: String
      var extraJSON: String
    }
    struct Entry: Equatable {
      var record: AccountRecord
      var stored: [Stored]
    }
    var custody: GroupHeader.Custody
    var generation: UInt64
    var accounts: [String: Entry] = [:]
    var current: String?
    var signedOutAccounts: [String: GroupState.SignedOutAccount?] = [:]
    var principals: [String: String] = [:]
    var pendingDeletions: [UInt64]
    var wrappedSuccessors: [GroupState.WrappedSuccessor]
    var extras: String
    var hasRecoverySlot: Bool
    var isSound: Bool
  }

  static func content(of group: UnlockedGroup) throws -> Content {
    try group.read { transaction in
      let state = transaction.state
      var content = Content(
        custody: group.header.custody, generation: group.header.generation,
        current: try transaction.currentAccount()?.record.homeAccountID,
        pendingDeletions: state.pendingDeletions, wrappedSuccessors: state.wrappedSuccessors,
        extras: String(decoding: try transaction.extras(), as: UTF8.self),
        hasRecoverySlot: transaction.hasSlot(.recovery), isSound: try transaction.verify().isSound)
      var accounts: [StoredAccount] = []
      let damaged = try transaction.forEachAccount { accounts.append($0) }
      #expect(damaged == 0)
      for account in accounts {
        var plain = account.record
        plain.stored = []
        content.accounts[account.record.homeAccountID] = Content.Entry(
          record: plain,
          stored: try account.record.stored.map { stored in
            let payload = try transaction.payload(of: stored, in: account)
            return Content.Stored(
              credential: stored.credential,
              secret: String(decoding: payload.secret.reveal(), as: UTF8.self),
              extraJSON: String(decoding: payload.extraJSON, as: UTF8.self))
          })
      }
      for (client, principal) in state.principals {
        content.signedOutAccounts[client] = principal.signedOutAccount
        content.principals[client] =
          accounts.first { $0.tag == principal.account }?.record.homeAccountID
      }
      return content
    }
  }

  static let content: Content = {
    var content = Content(
      custody: .secretService, generation: 2, pendingDeletions: [1],
      wrappedSuccessors: [GroupState.WrappedSuccessor(generation: 1, boot: "boot-of-the-fixture")],
      extras: #"{"AppMetadata":{}}"#, hasRecoverySlot: true, isSound: true)
    let kinds: [(AccountRecord, [Credential.Kind])] = [
      (alice, [.accessToken, .refreshToken]), (bob, [.secret]),
      (carol, [.accessToken, .refreshToken]),
    ]
    for (record, kinds) in kinds {
      content.accounts[record.homeAccountID] = Content.Entry(
        record: record,
        stored: kinds.map {
          Content.Stored(
            credential: credential($0, for: record), secret: secret($0, of: record),
            extraJSON: #"{"unknown":true}"#)
        })
    }
    content.current = alice.homeAccountID
    content.principals = ["client-one": alice.homeAccountID]
    content.signedOutAccounts = [
      "client-one": GroupState.SignedOutAccount(
        homeAccountID: "old-id", environment: "old.example", username: "old@contoso.example")
    ]
    return content
  }()
}

// MARK: What every test here needs

func bytes(hex: String) -> [UInt8] {
  let digits = Array(hex.utf8).compactMap { UInt8(String(UnicodeScalar($0)), radix: 16) }
  return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

func hex(_ bytes: [UInt8]) -> String {
  bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}

/// A directory of its own for each test, mode 0700, removed with the value.
final class Scratch: Sendable {
  let path: String

  init(in parent: String? = nil) throws {
    let parent = parent ?? FileManager.default.temporaryDirectory.path
    path = parent + "/group-store-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: path) } catch {
      Issue.record("cannot remove \(path)")
    }
  }

  func callAsFunction(_ name: String) -> String { path + "/" + name }
}

func contents(_ path: String) throws -> [UInt8] {
  try [UInt8](Data(contentsOf: URL(filePath: path)))
}

func write(_ bytes: [UInt8], to path: String) throws {
  #expect(
    FileManager.default.createFile(
      atPath: path, contents: Data(bytes), attributes: [.posixPermissions: 0o600]))
}

func unlock(_ path: String, _ key: [UInt8]) throws -> UnlockedGroup {
  try LockedGroup(path: path).unlock(SecretBytes(copying: key))
}

/// A fresh group under random keys, at `path`, published.
struct FreshGroup {
  let path: String
  var key: [UInt8]

  init(
    _ path: String, custody: GroupHeader.Custody = .secretService,
    _ fill: (GroupTransaction) throws -> Void = { _ in }
  ) throws {
    self.path = path
    key = try RandomBytes.make(32)
    try build(custody: custody, fill)
    try GroupCreation.publish(path)
  }

  private func build(
    custody: GroupHeader.Custody, _ fill: (GroupTransaction) throws -> Void
  ) throws {
    let header = GroupHeader(
      groupID: try RandomBytes.make(16), generation: 1, custody: custody)
    let group = try GroupCreation.draft(path, header: header, key: SecretBytes(copying: key))
    try group.write(fill)
  }

  func open() throws -> UnlockedGroup { try unlock(path, key) }

  /// Signs accounts out: a rotation that erases them, to a fresh key which is then the present one.
  @discardableResult
  mutating func signOut(_ names: [String], boot: String? = nil) throws -> UnlockedGroup {
    let next = try RandomBytes.make(32)
    let group = try open()
    try group.write { transaction in
      let accounts = try names.flatMap { try transaction.accounts(named: CaseFolding.fold($0)) }
      let report = try transaction.rotate(
        to: SecretBytes(copying: next), erasing: accounts, boot: boot ?? "boot",
        keepsWrappedSuccessor: boot != nil, deletesOldKey: boot != nil)
      #expect(report == .init(erased: accounts.count, unreadable: 0))
    }
    key = next
    #expect(try group.truncateLog())
    return group
  }
}
