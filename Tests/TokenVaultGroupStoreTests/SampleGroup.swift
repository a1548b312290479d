import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore

/// A small group with known content: three accounts with names, tokens and metadata, a recovery
/// slot, and a fourth account that the rotation to generation 2 signed out.
///
/// `Fixtures/v1-group.vault` was made by `make(at:keys:)` in format version 1; `SampleGroup.content`
/// is its content.
enum SampleGroup {
  /// The keys of the fixture, from the file `v1-group.json` beside it.
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
        CredentialPayload(
          secret: Redacted(Array(secret(kind, of: record).utf8)),
          extraJSON: Array(#"{"unknown":true}"#.utf8)),
        in: &account)
    }
    try transaction.update(&account)
    return account
  }

  static func make(at path: String, keys: Keys) throws {
    let header = GroupHeader(
      groupID: try bytes(hex: keys.groupID), generation: 1, custody: .secretService)
    let group = try GroupCreation.draft(
      path, header: header, key: key(bytes(hex: keys.firstGeneration), of: header))
    let leaver = try group.write { transaction in
      let current = try add(Self.alice, to: transaction)
      try add(Self.bob, to: transaction, kinds: [.secret])
      try add(Self.carol, to: transaction)
      transaction.state.current = current.tag
      transaction.state.principals["client-one"] = GroupState.Principal(account: current.tag)
      try transaction.setExtras(Array(#"{"AppMetadata":{}}"#.utf8))
      try transaction.setSlot(
        .recovery, under: SecretBytes(copying: bytes(hex: keys.recoverySlot)),
        parameters: KeySlot.Parameters(salt: [UInt8](repeating: 7, count: 32)))
      return try add(Self.dave, to: transaction)
    }
    try group.write { transaction in
      _ = try transaction.rotate(
        to: key(bytes(hex: keys.secondGeneration), of: header), erasing: [leaver],
        boot: "boot-of-the-fixture", deletesOldKey: true)
    }
    _ = try group.truncateLog()
    close(group)
    try GroupCreation.publish(path)
  }

  private static func close(_ group: consuming UnlockedGroup) {}

  /// The content of a group without the random values in its file.
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
    var principals: [String: String] = [:]
    var pendingDeletions: [UInt64]
    var deletionChecks: [GroupState.DeletionCheck]
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
        pendingDeletions: state.pendingDeletions, deletionChecks: state.deletionChecks,
        extras: String(decoding: try transaction.extras(), as: UTF8.self),
        hasRecoverySlot: try transaction.hasSlot(.recovery),
        isSound: try transaction.verify().isSound)
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
        content.principals[client] =
          accounts.first { $0.tag == principal.account }?.record.homeAccountID
      }
      return content
    }
  }

  static let content: Content = {
    var content = Content(
      custody: .secretService, generation: 2, pendingDeletions: [1],
      deletionChecks: [GroupState.DeletionCheck(generation: 1, boot: "boot-of-the-fixture")],
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
    return content
  }()
}

/// The bytes that a hexadecimal text stands for.
func bytes(hex text: String) throws -> [UInt8] {
  try #require(Hexadecimal.decode(text.utf8))
}
