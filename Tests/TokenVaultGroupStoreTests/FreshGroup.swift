import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore

func unlock(_ path: String, _ key: [UInt8]) throws -> UnlockedGroup {
  try LockedGroup(path: path).unlock(SecretBytes(copying: key))
}

/// A new, published group under random keys.
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

  /// Signs accounts out with a rotation that erases them. The new key becomes `key`.
  @discardableResult
  mutating func signOut(_ names: [String], boot: String? = nil) throws -> UnlockedGroup {
    let next = try RandomBytes.make(32)
    let group = try open()
    try group.write { transaction in
      let accounts = try names.flatMap { try transaction.accounts(named: CaseFolding.fold($0)) }
      let report = try transaction.rotate(
        to: SecretBytes(copying: next), erasing: accounts, boot: boot ?? "boot",
        wrapsSuccessorKey: boot != nil, deletesOldKey: boot != nil)
      #expect(report == .init(erased: accounts.count, unreadable: 0))
    }
    key = next
    #expect(try group.truncateLog())
    return group
  }
}
