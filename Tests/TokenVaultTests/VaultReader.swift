import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultModel
import TokenVaultTestSupport

@testable import TokenVault
@testable import TokenVaultGroupStore

/// The reader of group files in Python, which was written from docs/vault-format.md alone.
struct VaultReader {
  private static let script = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "VaultReader/reader.py")
  private let python: PythonPeer

  init() throws { python = try PythonPeer() }

  /// What it prints about one file.
  struct Reading: Decodable {
    struct State: Decodable {
      let commits: UInt64
      let current: String
      let formerParts: [UInt64]
    }
    struct History: Decodable, Equatable {
      let recoveryCode: Int64?
      let keys: UInt64?
    }

    let error: String?
    let version: UInt32?
    let generation: UInt64?
    let custody: String?
    let successors: [UInt64]?
    let state: State?
    let accounts: [GroupContent.Account]?
    let extras: String?
    let name: String?
    let history: History?
    let damaged: [String]?

    /// Whether every part of the file is authentic.
    var isSound: Bool { error == nil && damaged == [] }
    var content: GroupContent { GroupContent(accounts ?? []) }
  }

  /// Reads files that one key opens. The key goes through a pipe.
  func read(_ paths: [String], with keys: [String: String], generation: Int? = nil) throws
    -> [Reading]
  {
    var input: [String: Any] = keys
    input["generation"] = generation
    let process = python.process(Self.script, ["read"] + paths)
    let (given, printed) = (Pipe(), Pipe())
    process.standardInput = given
    process.standardOutput = printed
    try process.run()
    try given.fileHandleForWriting.write(
      contentsOf: JSONSerialization.data(withJSONObject: input))
    try given.fileHandleForWriting.close()
    let lines = try printed.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "reader.py failed")
    return try lines.split(separator: UInt8(ascii: "\n")).map {
      try JSONDecoder().decode(Reading.self, from: $0)
    }
  }

  func read(_ path: String, with keys: [String: String], generation: Int? = nil) throws -> Reading {
    try read([path], with: keys, generation: generation)[0]
  }

  static func hexadecimal(_ secret: borrowing SecretBytes) -> String {
    unsafe secret.withUnsafeBytes { unsafe Hexadecimal.encode([UInt8]($0)) }
  }
}

/// The accounts of a group with their secrets, in a form that two implementations can be compared by.
struct GroupContent: Equatable {
  struct Account: Decodable, Equatable {
    let homeAccountID: String
    let environment: String
    let authorityType: String
    let orphanClient: String
    let alias: String
    let issuer: String
    let profiles: [[String]]
    let clients: [String: UInt8]
    let credentials: [Credential]
    let tag: String
  }
  struct Credential: Decodable, Equatable {
    let identity: [String]
    let times: [Int64?]
    let extra: String
    let secret: String
  }

  /// By tag.
  let accounts: [String: Account]

  init(_ accounts: [Account]) {
    self.accounts = Dictionary(accounts.map { ($0.tag, $0) }) { $1 }
  }

  /// The content that the program reads; accounts that do not open are left out.
  init(_ transaction: GroupTransaction) throws {
    var found: [Account] = []
    _ = try transaction.forEachAccount { account throws(StoreError) in
      do throws(StoreError) { found.append(try Self.account(account, transaction)) } catch .damaged
      {}
    }
    self.init(found)
  }

  private static func account(
    _ account: StoredAccount, _ transaction: GroupTransaction
  ) throws(StoreError) -> Account {
    let record = account.record
    var credentials: [Credential] = []
    for stored in record.stored {
      let payload = try transaction.payload(of: stored, in: account)
      credentials.append(credential(stored.credential, payload))
    }
    return Account(
      homeAccountID: record.homeAccountID, environment: record.environment,
      authorityType: record.authorityType.description, orphanClient: record.orphanClient,
      alias: record.alias, issuer: record.issuer, profiles: record.profiles.map(texts),
      clients: record.clients.mapValues(\.rawValue), credentials: credentials,
      tag: Hexadecimal.encode(account.tag))
  }

  private static func texts(_ profile: AccountRecord.Profile) -> [String] {
    [
      profile.tenantID, profile.localAccountID, profile.username, profile.environment,
      String(decoding: profile.claimsJSON, as: UTF8.self),
      String(decoding: profile.extraJSON, as: UTF8.self),
    ]
  }

  private static func credential(
    _ credential: TokenVaultModel.Credential, _ payload: CredentialPayload
  ) -> Credential {
    Credential(
      identity: [
        credential.kind.word, credential.clientID, credential.environment, credential.realm,
        credential.target, credential.tokenType, credential.familyID, credential.keyID,
        credential.requestedClaims, credential.userAssertionHash,
      ],
      times: [
        credential.cachedAt, credential.expiresOn, credential.extendedExpiresOn,
        credential.refreshOn, credential.lastModified,
      ].map { $0?.epochSeconds },
      extra: String(decoding: payload.extraJSON, as: UTF8.self),
      secret: Hexadecimal.encode(payload.secret.reveal()))
  }
}
