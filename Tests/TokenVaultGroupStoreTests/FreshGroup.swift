import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore

/// The key of a group that is made of one secret. If the Secret Service has the custody, the secret
/// is the keyring's part, and the device's part is made of it.
func key(_ secret: [UInt8], of header: GroupHeader) throws -> GenerationKey {
  guard header.custody == .secretService, !header.isOutdated else {
    return GenerationKey(try SecretBytes(copying: secret))
  }
  let parts = KeyParts(
    keyring: try SecretBytes(copying: secret), device: try SecretBytes(copying: device(secret)))
  return try GenerationKey(parts, of: header.groupID)
}

/// The device part of a key that is made of one secret.
func device(_ secret: [UInt8]) -> [UInt8] { secret.map { $0 ^ 0x55 } }

func unlock(_ path: String, _ secret: [UInt8]) throws -> UnlockedGroup {
  let locked = try LockedGroup(path: path)
  let key = try key(secret, of: locked.header)
  return try locked.unlock(key.key.clone())
}

/// A new, published group under random keys.
struct FreshGroup {
  let path: String
  /// The secret that its key is made of.
  var secret: [UInt8]

  init(
    _ path: String, custody: GroupHeader.Custody = .secretService,
    _ fill: (GroupTransaction) throws -> Void = { _ in }
  ) throws {
    self.path = path
    secret = try RandomBytes.make(32)
    try build(custody: custody, fill)
    try GroupCreation.publish(path)
  }

  private func build(
    custody: GroupHeader.Custody, _ fill: (GroupTransaction) throws -> Void
  ) throws {
    let header = GroupHeader(
      groupID: try RandomBytes.make(16), generation: 1, custody: custody)
    let group = try GroupCreation.draft(
      path, header: header, key: key(secret, of: header))
    try group.write(fill)
  }

  func open() throws -> UnlockedGroup { try unlock(path, secret) }

  /// Signs accounts out with a rotation that erases them. The secret of the new key becomes
  /// `secret`.
  @discardableResult
  mutating func signOut(_ names: [String], boot: String? = nil) throws -> UnlockedGroup {
    let next = try RandomBytes.make(32)
    let group = try open()
    try group.write { transaction in
      let accounts = try names.flatMap { try transaction.accounts(named: CaseFolding.fold($0)) }
      let report = try transaction.rotate(
        to: key(next, of: group.header), erasing: accounts, boot: boot ?? "boot",
        deletesOldKey: boot != nil)
      #expect(report == .init(erased: accounts.count, unreadable: 0))
    }
    secret = next
    #expect(try group.truncateLog())
    return group
  }
}

extension GroupTransaction {
  /// Lets the first account have this row number, so that a small group has several nodes.
  func startRows(at row: Int64) {
    tree = RowTree(RowTree.Root(last: row - 1), in: database, key: keys.tags)
  }
}
