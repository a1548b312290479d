import TokenVaultCrypto

/// The constants of the format. docs/vault-format.md specifies each byte.
enum Format {
  /// The version of a new file, and of a file after its next change of the key.
  static let version: UInt32 = 2
  /// The versions of files that can be opened.
  static let readableVersions: ClosedRange<UInt32> = 1...2
  /// The first number in the associated data of every sealed row. Format version 2 kept it, so that
  /// an upgrade does not have to encrypt any account again.
  private static let placeVersion: UInt64 = 1
  /// "TKVT" in SQLite's application_id.
  static let applicationID: Int64 = 0x544B_5654
  /// The largest token, password or account record, in bytes.
  static let largestPlaintext = 1 << 20

  /// `account_key` is separate from `account` so that a rotation rewrites only the wrapped keys.
  /// The column `account.sheet` holds the account record; the format fixes its name.
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
    case rotationKeys = 7
    case groupName = 8
    case history = 9
  }

  /// The row of `meta` with the key that replaced the one of `generation`, for a keyring that has
  /// lost it.
  static func wrappedSuccessorKeyRow(_ generation: UInt64) -> Int64 {
    firstWrappedSuccessorKeyRow + Int64(generation)
  }
  static let firstWrappedSuccessorKeyRow: Int64 = 1000

  /// The largest number of a generation. The header is in the clear and anyone who can write the
  /// file can change it: a number beyond any real one must neither overflow nor cost time.
  static let largestGeneration: UInt64 = 1 << 32
  /// The largest number of steps of a slot. Each step costs a key derivation before the slot opens.
  static let mostSlotSteps: UInt64 = 1 << 20

  /// The kind of a sealed row. It is authenticated, so that no row opens in the place of another.
  /// The format fixes the texts.
  enum Kind: String {
    case check, lookupKey = "lookup-key", state, slot, wrappedSuccessorKey = "bridge", extras
    case rotationKeys = "rotation", groupName = "group-name", history
    case accountKey = "account-key", accountRecord = "sheet", credential = "record", name
  }

  static let checkPlaintext = Array("TokenVault group key".utf8)

  /// The associated data that binds a sealed row to its group, account, kind and row.
  static func associatedData(
    group: [UInt8], account: [UInt8] = [], kind: Kind, row: [UInt8] = []
  ) -> [UInt8] {
    // The last number is enough for the lengths and the longest kind.
    var writer = ByteWriter(capacity: group.count + account.count + row.count + 32)
    writer.number(placeVersion)
    writer.data(group)
    writer.data(account)
    writer.text(kind.rawValue)
    writer.data(row)
    return writer.bytes
  }

  /// Derives a separate key for each purpose from one key (RFC 5869, with the group id as salt).
  /// - Parameter version: the format version that introduced the purpose.
  static func derive(
    _ key: borrowing SecretBytes, group: [UInt8], purpose: String, version: Int = 1
  ) throws(StoreError) -> SecretBytes {
    do {
      return try KeyDerivation.hkdfSHA256(
        key, salt: group, info: Array("tokenvault/\(version)/\(purpose)".utf8), count: 32)
    } catch { throw .crypto }
  }
}
