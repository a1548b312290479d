import TokenVaultCrypto

/// The part of an account of which a listing makes its view. An account that can be written has its
/// record twice, and ten thousand copies cost time.
package struct ViewedAccount {
  /// The keyed tag of the account's identity, 32 bytes.
  package let tag: [UInt8]
  package let record: AccountRecord
}

/// One account as a transaction read it. A write fails if the row has since been removed, or has
/// another account key or content: a sign-out in between takes precedence.
package struct StoredAccount {
  /// The keyed tag of the account's identity, 32 bytes.
  package let tag: [UInt8]
  /// The id of the account key, random, 16 bytes.
  package let keyID: [UInt8]
  package var record: AccountRecord
  let row: Int64
  let key: SealingKey
  /// The account record in the file, and the GCM tag of its row.
  var saved: (record: AccountRecord, seal: [UInt8])

  /// The part of which a view is made.
  package var viewed: ViewedAccount { ViewedAccount(tag: tag, record: record) }
}
