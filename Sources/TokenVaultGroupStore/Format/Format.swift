import TokenVaultCrypto

/// The constants of format version 1. docs/vault-format.md specifies each byte.
enum Format {
  static let version: UInt32 = 1
  /// "TKVT" in SQLite's application_id.
  static let applicationID: Int64 = 0x544B_5654
  /// The largest token, password or account record, in bytes.
  static let largestPlaintext = 1 << 20

  /// `account_key` is separate from `account` so that a rotation rewrites only the wrapped keys.
  /// The column `account.sheet` holds the account record; format version 1 fixes its name.
  ///
  /// The text is part of the format: SQLite stores it, and ``Database/requireExpectedSchema()``
  /// compares it.
  static let schemaStatements = [
    "CREATE TABLE meta(id INTEGER PRIMARY KEY, value BLOB NOT NULL)",
    "CREATE TABLE account(id INTEGER PRIMARY KEY, tag BLOB NOT NULL UNIQUE, sheet BLOB NOT NULL)",
    "CREATE TABLE account_key(id INTEGER PRIMARY KEY, key_id BLOB NOT NULL, wrapped BLOB NOT NULL)",
    "CREATE TABLE record(id INTEGER PRIMARY KEY, account INTEGER NOT NULL, sealed BLOB NOT NULL)",
    "CREATE INDEX record_account ON record(account)",
    "CREATE TABLE name(tag BLOB PRIMARY KEY, sealed BLOB NOT NULL) WITHOUT ROWID",
  ]

  /// The row ids of the table `meta`.
  enum Meta: Int64 {
    case header = 0
    case check = 1
    case lookupKey = 2
    case state = 3
    case custodySlot = 4
    case recoverySlot = 5
    case extras = 6
  }

  /// The row of `meta` with the key of generation g + 1, wrapped under the key of `generation` g.
  static func wrappedSuccessorKeyRow(_ generation: UInt64) -> Int64 {
    firstWrappedSuccessorKeyRow + Int64(generation)
  }
  static let firstWrappedSuccessorKeyRow: Int64 = 1000

  /// The kind of a sealed row. It is authenticated, so that no row opens in the place of another.
  /// Format version 1 fixes the texts.
  enum Kind: String {
    case check, lookupKey = "lookup-key", state, slot, wrappedSuccessorKey = "bridge", extras
    case accountKey = "account-key", accountRecord = "sheet", credential = "record", name
  }

  static let checkPlaintext = Array("TokenVault group key".utf8)

  /// The associated data that binds a sealed row to its format version, group, account, kind and
  /// row.
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

  /// Derives a separate key for each purpose from one key (RFC 5869, with the group id as salt).
  static func derive(
    _ key: borrowing SecretBytes, group: [UInt8], purpose: String
  ) throws(StoreError) -> SecretBytes {
    do {
      return try KeyDerivation.hkdfSHA256(
        key, salt: group, info: Array("tokenvault/1/\(purpose)".utf8), count: 32)
    } catch { throw .crypto }
  }
}
