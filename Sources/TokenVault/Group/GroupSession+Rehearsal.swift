import Glibc
import TokenVaultCrypto
import TokenVaultGroupStore
import TokenVaultKeyCustody
import TokenVaultSystem

extension GroupSession {
  /// Whether the group has a file.
  func exists() throws(VaultError) -> Bool {
    do { try withGroup { _ in } } catch .noGroup { return false }
    return true
  }

  /// Changes the group, or, in a rehearsal, rolls the change back. The rehearsal for a group without
  /// a file has an empty group in a directory of its own.
  func write<R>(
    isRehearsal: Bool, _ body: (GroupTransaction) throws -> R
  ) throws(VaultError) -> R {
    guard isRehearsal else { return try write(body) }
    do { return try withGroup { try $0.rehearse(body) } } catch .noGroup {
      try requireMembership()
      return try vaultErrors(group) { try Self.inEmptyGroup { try $0.rehearse(body) } }
    }
  }

  private static func inEmptyGroup<R>(_ body: (UnlockedGroup) throws -> R) throws -> R {
    var name = Array("/tmp/tokenvault-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&name) != nil else {
      throw VaultError.file(path: "/tmp", call: "mkdtemp", errno: errno)
    }
    let directory = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let path = directory + "/rehearsal"
    defer {
      bestEffort("nothing was written but an empty group under a key that is gone") {
        try GroupCreation.remove(GroupCreation.draftPath(for: path))
      }
      unsafe rmdir(directory)
    }
    let header = GroupHeader(groupID: try RandomBytes.make(16), custody: .keyFile)
    return try body(
      try GroupCreation.draft(
        path, header: header, key: try GenerationKey(for: .keyFile, of: header.groupID)))
  }
}
