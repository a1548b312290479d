@testable import TokenVaultGroupStore

/// The bytes of a group file, as an attacker writes them who does not have the key.
enum GroupFiles {
  static func read(_ input: [UInt8]) {
    KnownGroup.write(input)
    readWithoutKey()
    KnownGroup.examine(isForged: false)
  }

  private static func readWithoutKey() {
    do {
      let group = try LockedGroup(path: KnownGroup.path, busyMilliseconds: 0)
      for position in KeySlot.Position.allCases { _ = try group.slot(position) }
      _ = try group.generationsWithWrappedSuccessorKey()
    } catch { precondition(!"\(error)".isEmpty) }
  }
}
