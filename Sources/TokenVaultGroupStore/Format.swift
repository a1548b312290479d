import TokenVaultCrypto

/// The constants of format version 1; docs/vault-format.md gives each byte.
enum Format {
  static let version: UInt32 = 1
  /// "TKVT" in SQLite's application_id.
  static let applicationID: Int64 = 0x544B_5654
  /// One token, password or account account record may be this large.
  static let largestPlaintext = 1 << 20

  /// `account_key` stands apart from `account` so that a rotation rewrites the wrapped keys alone.
  static let schema = """
    CREATE TABLE meta(id INTEGER PRIMARY KEY, value BLOB NOT NULL);
    CREATE TABLE account(id INTEGER PRIMARY KEY, tag BLOB NOT NULL UNIQUE, sheet BLOB NOT NULL);
    CREATE TABLE account_key(id INTEGER PRIMARY KEY, key_id BLOB NOT NULL, wrapped BLOB NOT NULL);
    CREATE TABLE record(id INTEGER PRIMARY KEY, account INTEGER NOT NULL, sealed BLOB NOT NULL);
    CREATE INDEX record_account ON record(account);
    CREATE TABLE name(tag BLOB PRIMARY KEY, sealed BLOB NOT NULL) WITHOUT ROWID;
    """

  /// The rows of `meta`.
  enum Meta: Int64 {
    case header = 0
    case check = 1
    case lookupKey = 2
    case state = 3
    case custodySlot = 4
    case recoverySlot = 5
    case extras = 6
  }

  /// The wrapped successor key out of generation g stands at `firstWrappedSuccessor + g`.
  static let firstWrappedSuccessor: Int64 = 1000

  /// What a sealed row is, so that no row opens in the place of another.
  enum Kind: String {
    case check, lookupKey = "lookup-key", state, slot, wrappedSuccessor = "bridge", extras
    case accountKey = "account-key", accountRecord = "sheet", credential = "record", name
  }

  static let checkPlaintext = Array("TokenVault group key".utf8)

  /// Binds a sealed row to its format version, group, account, kind and place.
  static func associatedData(
    group: [UInt8], account: [UInt8] = [], kind: Kind, row: [UInt8] = []
  ) -> [UInt8] {
    var writer = ByteWriter()
    writer.number(UInt64(version))
    writer.data(group)
    writer.data(account)
    writer.text(kind.rawValue)
    writer.data(row)
    return writer.bytes
  }

  /// A key of its own for each purpose, from one key (RFC 5869, the group id as salt).
  static func derive(
    _ key: borrowing SecretBytes, group: [UInt8], purpose: String
  ) throws(StoreError) -> SecretBytes {
    do {
      return try KeyDerivation.hkdfSHA256(
        key, salt: group, info: Array("tokenvault/1/\(purpose)".utf8), count: 32)
    } catch { throw .crypto }
  }
}

/// What stands in the clear: the first bytes a program reads, before it has any key.
package struct GroupHeader: Hashable, Sendable {
  /// The custody the group was made with.
  package enum Custody: UInt8, Sendable {
    case secretService = 1
    case passphrase = 2
    case keyFile = 3
  }

  /// Random, 16 bytes.
  package let groupID: [UInt8]
  /// The generation of the group's key; 1 when the group is made.
  package var generation: UInt64
  package var custody: Custody

  /// "TKVT", version, group id, generation, custody, and a SHA-256 that tells a flipped bit from
  /// another group's or generation's header. It is no protection against forgery: the lookup
  /// key's associated data binds these bytes.
  func encoded() throws(StoreError) -> [UInt8] {
    var bytes = Array("TKVT".utf8)
    bytes += Format.version.bigEndianBytes
    bytes += groupID
    bytes += generation.bigEndianBytes
    bytes.append(custody.rawValue)
    do { return bytes + (try Digest.sha256(bytes)) } catch { throw .crypto }
  }

  package init(groupID: [UInt8], generation: UInt64 = 1, custody: Custody) {
    self.groupID = groupID
    self.generation = generation
    self.custody = custody
  }

  init(_ bytes: [UInt8]) throws(StoreError) {
    guard bytes.count >= 40, bytes.starts(with: "TKVT".utf8) else { throw .damaged(rows: nil) }
    let content = Array(bytes.dropLast(32))
    let digest: [UInt8]
    do { digest = try Digest.sha256(content) } catch { throw .crypto }
    guard digest == Array(bytes.suffix(32)) else { throw .damaged(rows: nil) }
    let version = content[4..<8].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard version == Format.version else { throw .unsupportedVersion(version) }
    guard content.count == 33, let custody = Custody(rawValue: content[32]) else {
      throw .damaged(rows: nil)
    }
    groupID = Array(content[8..<24])
    generation = content[24..<32].reduce(0) { $0 << 8 | UInt64($1) }
    self.custody = custody
  }
}
