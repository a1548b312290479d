import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore

/// Content that authenticates: an attacker has the key, or gives the user a backup with its key. The
/// first byte of an input selects the row, the others are its plaintext.
enum SealedRows {
  static func read(_ input: [UInt8]) {
    guard let kind = input.first else { return }
    KnownGroup.writeTemplate()
    do { try seal(Array(input.dropFirst()), kind: kind) } catch {
      preconditionFailure("\(error)")
    }
    KnownGroup.examine(isForged: true)
  }

  private static func seal(_ plaintext: [UInt8], kind: UInt8) throws {
    let group = try KnownGroup.unlock()
    guard kind % 8 != 0 else { return try sealState(plaintext, group) }
    try group.write { transaction in
      let (keys, header) = (transaction.keys, transaction.header)
      let padded = try Padding.pad(plaintext)
      switch kind % 8 {
      case 1: try sealRecord(padded, transaction)
      case 2: try sealSecret(padded, transaction)
      case 3: try sealName(padded, transaction)
      case 4:
        try transaction.setSealed(
          .history, keys.rows.sealRow(padded, header.associatedData(.history)))
      case 5:
        try transaction.setSealed(
          .extras, keys.wrap.sealRow(padded, header.associatedData(.extras)))
      case 6:
        try transaction.database.setMeta(
          Format.Meta.groupName.rawValue,
          keys.rows.sealRow(padded, header.associatedData(.groupName)))
      default:
        try transaction.database.setMeta(
          Format.Meta.rotationKeys.rawValue,
          keys.wrap.seal(
            SecretBytes(copying: plaintext), associatedData: header.associatedData(.rotationKeys)))
      }
    }
  }

  private static func sealState(_ plaintext: [UInt8], _ group: UnlockedGroup) throws {
    try group.database.setMeta(
      Format.Meta.state.rawValue,
      try group.keys.wrap.sealRow(
        Padding.pad(plaintext), group.header.associatedData(.state)))
  }

  private static func sealRecord(_ padded: [UInt8], _ transaction: GroupTransaction) throws {
    let ada = try KnownGroup.account("ada", transaction)
    let sealed = try ada.key.sealRow(
      padded, transaction.header.associatedData(.accountRecord, account: ada.tag))
    let change = try transaction.database.statement("UPDATE account SET sheet = ? WHERE id = ?")
    try change.bind(1, sealed)
    try change.bind(2, ada.row)
    try change.run()
    try transaction.changeDigest(
      ofRow: ada.row, from: transaction.rowDigest(ada),
      to: transaction.rowDigest(tag: ada.tag, keyID: ada.keyID, seal: Array(sealed.suffix(16))))
  }

  private static func sealSecret(_ padded: [UInt8], _ transaction: GroupTransaction) throws {
    var ada = try KnownGroup.account("ada", transaction)
    guard let stored = ada.record.stored.first else { throw StoreError.damaged(rows: nil) }
    let sealed = try ada.key.sealRow(
      padded, transaction.recordData(stored.credential, account: ada.tag))
    let change = try transaction.database.statement("UPDATE record SET sealed = ? WHERE id = ?")
    try change.bind(1, sealed)
    try change.bind(2, stored.row)
    try change.run()
    ada.record.stored[0].seal = Array(sealed.suffix(16))
    try transaction.update(&ada)
  }

  private static func sealName(_ padded: [UInt8], _ transaction: GroupTransaction) throws {
    let tag = try transaction.nameTag(CaseFolding.fold("ada"))
    let sealed = try transaction.keys.rows.sealRow(
      padded, transaction.header.associatedData(.name, row: tag))
    let change = try transaction.database.statement("UPDATE name SET sealed = ? WHERE tag = ?")
    try change.bind(1, sealed)
    try change.bind(2, tag)
    try change.run()
  }
}
