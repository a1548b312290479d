import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore

/// Runs an operation in a separate process and kills it at each of its system calls in turn.
@Suite(.timeLimit(.minutes(10))) struct CrashTests {
  /// Regular expressions, because the names of some system calls differ between architectures.
  static let calls = ["/^pwrite", "/^write$", "/^f(data)?sync", "/^ftruncate", "/^unlink"]

  @Test(arguments: calls + ["/^(link|rename)"])
  func aCreationKilledAnywhereLeavesNoGroupOrACompleteOne(
    call: String
  ) throws {
    let scratch = try Scratch()
    let keys = try Keys(scratch)
    try killEverywhere(call: call, ["create", scratch("a.vault"), keys.oldPath]) { done in
      let path = scratch("a.vault")
      if FileManager.default.fileExists(atPath: path) {
        #expect(try names(unlock(path, keys.old)) == ["a0", "a1", "a2"])
      } else {
        #expect(!done)
      }
      // The remains of a killed creation do not prevent the next one.
      try GroupCreation.remove(path)
      let next = try run([probePath(), "create", path, keys.oldPath])
      #expect(next.output == "done\n", "\(next.errors)")
      #expect(try names(unlock(path, keys.old)) == ["a0", "a1", "a2"])
      try GroupCreation.remove(path)
    }
  }

  @Test(arguments: calls, ["import", "token", "switch"])
  func aWriteKilledAnywhereIsCompleteOrAbsent(call: String, operation: String) throws {
    let scratch = try Scratch()
    let keys = try Keys(scratch)
    let image = try made(scratch, keys)
    let path = scratch("a.vault")
    try killEverywhere(call: call, [operation, path, keys.oldPath]) { done in
      let group = try unlock(path, keys.old)
      let isNew = try happened(operation, in: group)
      #expect(isNew || !done, "an acknowledged \(operation) is lost")
      #expect(try group.read { try $0.verify() }.isSound)
      try reset(path, to: image)
    }
  }

  @Test(arguments: calls) func aSignOutKilledAnywhereIsCompleteOrNotStarted(call: String) throws {
    let scratch = try Scratch()
    let keys = try Keys(scratch)
    let image = try made(scratch, keys)
    let path = scratch("a.vault")
    try killEverywhere(call: call, ["sign-out", path, keys.oldPath, keys.newPath]) { done in
      // The custodian holds both keys until the file has the new generation.
      let generation = try LockedGroup(path: path).header.generation
      let (key, other) = generation == 1 ? (keys.old, keys.new) : (keys.new, keys.old)
      #expect(generation == 2 || !done, "an acknowledged sign-out is lost")
      #expect(throws: StoreError.wrongKey) { _ = try unlock(path, other) }
      let group = try unlock(path, key)
      #expect(try names(group) == (generation == 1 ? ["a0", "a1", "a2"] : ["a0", "a2"]))
      #expect(try group.read { try $0.verify() }.isSound)
      if generation == 1 {
        #expect(try happened("erasable", in: group), "half an account")
      } else {
        let locked = try LockedGroup(path: path)
        let part = try locked.unwrapKeyringPart(
          from: 1, with: SecretBytes(copying: keys.old),
          device: SecretBytes(copying: device(keys.new)))
        let isNew = part.isEqual(to: try SecretBytes(copying: keys.new))
        #expect(isNew)
      }
      try reset(path, to: image)
    }
  }

  /// Unlike a kill, a power cut loses the page cache, so written data must have been synced.
  @Test(arguments: ["import", "token", "switch", "sign-out"])
  func nothingIsAcknowledgedBeforeItIsSynced(operation: String) throws {
    let scratch = try Scratch()
    let keys = try Keys(scratch)
    _ = try made(scratch, keys)
    let ran = try run(
      [
        "strace", "-f", "-qq", "-o", scratch("log"), "-e", "trace=/^(pwrite|write$|f(data)?sync)",
        probePath(), operation, scratch("a.vault"), keys.oldPath, keys.newPath,
      ])
    #expect(ran.output == "done\n", "\(ran.errors)")
    let calls = String(decoding: try contents(scratch("log")), as: UTF8.self)
      .split(separator: "\n").compactMap { $0.split(separator: " ").dropFirst().first }
    let acknowledged = try #require(calls.firstIndex { $0.hasPrefix("write(1,") })
    let last = try #require(calls[..<acknowledged].last)
    #expect(last.hasPrefix("fdatasync") || last.hasPrefix("fsync"), "\(last)")
  }

  private struct Keys {
    let oldPath: String
    let newPath: String
    let old = [UInt8](repeating: 3, count: 32)
    let new = [UInt8](repeating: 4, count: 32)

    init(_ scratch: Scratch) throws {
      oldPath = scratch("old-key")
      newPath = scratch("new-key")
      try write(old, to: oldPath)
      try write(new, to: newPath)
    }
  }

  private func made(_ scratch: Scratch, _ keys: Keys) throws -> [UInt8] {
    let made = try run([probePath(), "create", scratch("a.vault"), keys.oldPath])
    #expect(made.output == "done\n", "\(made.errors)")
    return try contents(scratch("a.vault"))
  }

  private func reset(_ path: String, to image: [UInt8]) throws {
    try GroupCreation.remove(path)
    try write(image, to: path)
  }

  /// Runs the probe and kills it on entry to the n-th such system call, for n = 1, 2, … until the
  /// probe runs to its end. Each time calls `check` with whether the operation was acknowledged.
  private func killEverywhere(
    call: String, _ arguments: [String], _ check: (Bool) throws -> Void
  ) throws {
    // An existing log is truncated, not removed, so only a creation unlinks files.
    let expected = call == "/^pwrite" ? 8 : call == "/^unlink" && arguments[0] != "create" ? 0 : 1
    for count in 1...2000 {
      let ran = try run(
        [
          "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(call)", "-e",
          "inject=\(call):signal=SIGKILL:when=\(count)", probePath(),
        ] + arguments)
      let wasKilled = ran.wasKilled || ran.status == 137
      try #require(wasKilled || ran.output == "done\n", "\(ran.status) \(ran.errors)")
      try check(ran.output == "done\n")
      if !wasKilled {
        #expect(count > expected, "too few calls of \(call): nothing was killed")
        return
      }
    }
    Issue.record("never ran to its end")
  }

  private func names(_ group: UnlockedGroup) throws -> [String] {
    try group.read { transaction in
      var names: [String] = []
      let damaged = try transaction.forEachAccount { names.append($0.record.homeAccountID) }
      #expect(damaged == 0)
      return names.sorted()
    }
  }

  private func happened(_ operation: String, in group: UnlockedGroup) throws -> Bool {
    let state = try group.read { transaction in
      func token(_ name: String) throws -> String? {
        guard let account = try transaction.accounts(named: CaseFolding.fold(name)).first,
          let stored = account.record.stored.first
        else { return nil }
        return String(
          decoding: try transaction.payload(of: stored, in: account).secret.reveal(),
          as: UTF8.self)
      }
      return (
        imported: try (0..<8).map { try token("i\($0)") }, first: try token("a0"),
        erasable: try token("a1"), current: try transaction.currentAccount()?.record.homeAccountID
      )
    }
    switch operation {
    case "import":
      let isWhole = state.imported == (0..<8).map { "imported-\($0)" }
      #expect(isWhole || state.imported.allSatisfy { $0 == nil }, "half an import")
      return isWhole
    case "token":
      #expect(["first-0", "second-0"].contains(state.first))
      return state.first == "second-0"
    case "erasable": return state.erasable == "first-1"
    default:
      #expect(["a0", "a2"].contains(state.current))
      return state.current == "a2"
    }
  }
}
