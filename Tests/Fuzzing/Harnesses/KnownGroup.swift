import Foundation
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore

/// A group file whose keys the harnesses have.
enum KnownGroup {
  private static let name = "group.vault"
  static let path = TemporaryFiles.path(name)

  /// Replaces the file, and removes the log of the former one.
  static func write(_ bytes: [UInt8]) {
    TemporaryFiles.remove(name + "-wal", name + "-shm", name + "-journal")
    TemporaryFiles.write(bytes, to: name)
  }

  /// Replaces the file by the template.
  static func writeTemplate() {
    do { write(try template.get()) } catch { preconditionFailure("\(error)") }
  }

  // MARK: Keys

  private static func parts(_ generation: UInt64 = 1) throws -> KeyParts {
    KeyParts(
      keyring: try SecretBytes(
        copying: [UInt8](repeating: UInt8(truncatingIfNeeded: generation), count: 32)),
      device: try SecretBytes(copying: [UInt8](repeating: 0x55, count: 32)))
  }

  /// The second generation of the fixture v1-group.vault.
  private static let keyOfFirstFormat = Array(UInt8(0x30)...0x4f)

  private static func key(of header: GroupHeader) throws -> SecretBytes {
    if header.isOutdated { return try SecretBytes(copying: keyOfFirstFormat) }
    return try parts().key(of: header.groupID)
  }

  // MARK: Content

  /// Three accounts with a secret each, a name, a history, extras and a recovery code.
  static let template = Result { try make() }

  private static func make() throws -> [UInt8] {
    TemporaryFiles.remove("template.new")
    try fill(TemporaryFiles.path("template"))
    return Array(try Data(contentsOf: URL(filePath: TemporaryFiles.path("template.new"))))
  }

  private static func fill(_ path: String) throws {
    let header = GroupHeader(groupID: [UInt8](repeating: 1, count: 16), custody: .secretService)
    let group = try GroupCreation.draft(
      path, header: header, key: try GenerationKey(parts(), of: header.groupID))
    try group.write { transaction in
      for name in ["ada", "bob", "eve"] {
        var account = try transaction.insert(record(name))
        for kind in [Credential.Kind.refreshToken, .accessToken] {
          try transaction.store(
            Credential(kind: kind, clientID: "client", environment: "id.example"),
            CredentialPayload(secret: Redacted(Array("secret-of-\(name)".utf8))), in: &account)
        }
        try transaction.update(&account)
        if name == "ada" { transaction.state.current = account.tag }
      }
      try transaction.setGroupName("known")
      try transaction.changeHistory { $0.recoveryCodeMade = Timestamp(epochSeconds: 1) }
      try transaction.setExtras(Array("{}".utf8))
      try transaction.setSlot(
        .recovery, under: SecretBytes(copying: [UInt8](repeating: 9, count: 32)),
        parameters: KeySlot.Parameters(salt: [UInt8](repeating: 7, count: 32)))
    }
    _ = try group.truncateLog()
  }

  private static func record(_ name: String) -> AccountRecord {
    var record = AccountRecord(homeAccountID: name, environment: "id.example", authorityType: .oidc)
    record.profiles = [
      .init(tenantID: "t", localAccountID: name, username: "\(name)@x.example", environment: "")
    ]
    record.clients = ["client": .signedIn]
    return record
  }

  /// The account of the template with this name.
  static func account(_ name: String, _ transaction: GroupTransaction) throws -> StoredAccount {
    guard let account = try transaction.accounts(named: CaseFolding.fold(name)).first else {
      throw StoreError.damaged(rows: nil)
    }
    return account
  }

  static func unlock() throws -> UnlockedGroup {
    let locked = try LockedGroup(path: path, busyMilliseconds: 0)
    let key = try key(of: locked.header)
    return try locked.unlock(key)
  }

  // MARK: Examination

  /// Reads all that the file has, signs the first account out, and reads the rest.
  /// - Parameter isForged: whether the content was sealed by someone who has the key. If not, each
  ///   secret must be the one that was stored with its account.
  static func examine(isForged: Bool) {
    do {
      let group = try unlock()
      try group.read { try readAll($0, isForged: isForged) }
      let rest = try group.write { try signOut($0) }
      try group.read { transaction in
        let now = try names(transaction)
        precondition(now.isSubset(of: rest), "an account came back")
      }
      _ = try group.truncateLog()
    } catch {
      switch error as? StoreError {
      case .damaged, .notAGroupFile, .unsupportedVersion, .wrongKey, .generationChanged,
        .accountGone, .tooLarge, .readOnly:
        return
      default: preconditionFailure("\(error)")
      }
    }
  }

  /// Runs one read of several. Damage in one does not keep the others from being tried.
  private static func attempt(_ body: () throws -> Void) throws {
    do { try body() } catch StoreError.damaged {}
  }

  private static func readAll(_ transaction: GroupTransaction, isForged: Bool) throws {
    try attempt {
      _ = try transaction.forEachAccount { account throws(StoreError) in
        for stored in account.record.stored.prefix(16) {
          let payload: CredentialPayload
          do throws(StoreError) {
            payload = try transaction.payload(of: stored, in: account)
          } catch {
            guard case .damaged = error else { throw error }
            continue
          }
          let secret = String(decoding: payload.secret.reveal(), as: UTF8.self)
          precondition(isForged || belongs(secret, to: account.record), "a foreign secret")
        }
      }
    }
    try attempt { _ = try transaction.accounts(named: CaseFolding.fold("ada")) }
    try attempt { _ = try transaction.accounts(named: CaseFolding.fold("nobody")) }
    try attempt { _ = try transaction.currentAccount() }
    try attempt { _ = try transaction.extras() }
    try attempt { _ = try transaction.groupName() }
    try attempt { _ = try transaction.history() }
    for position in KeySlot.Position.allCases {
      try attempt { _ = try transaction.hasSlot(position) }
    }
    try attempt { _ = try transaction.verify() }
  }

  /// The fixture of the first format has "accesstoken-secret-of-USERNAME".
  private static func belongs(_ secret: String, to record: AccountRecord) -> Bool {
    secret == "secret-of-\(record.homeAccountID)"
      || secret.hasSuffix("-secret-of-\(record.username)")
  }

  private static func signOut(_ transaction: GroupTransaction) throws -> Set<String> {
    var accounts: [StoredAccount] = []
    _ = try transaction.forEachAccount { accounts.append($0) }
    let erased = Array(accounts.prefix(1))
    _ = try transaction.rotate(
      to: GenerationKey(parts(2), of: transaction.header.groupID), erasing: erased, boot: "boot",
      deletesOldKey: true)
    return Set(accounts.dropFirst().map(\.record.homeAccountID))
  }

  private static func names(_ transaction: GroupTransaction) throws -> Set<String> {
    var names: Set<String> = []
    _ = try transaction.forEachAccount { names.insert($0.record.homeAccountID) }
    return names
  }
}
