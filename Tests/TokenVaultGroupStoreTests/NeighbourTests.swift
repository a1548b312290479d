import Foundation
import Synchronization
import Testing
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore

/// A program that may write the vault's files, without a key, changes what is in the clear: the
/// columns, the pages, and the names of files.
@Suite(.timeLimit(.minutes(5))) struct NeighbourTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func made() throws -> FreshGroup {
    try FreshGroup(scratch("a.vault")) { transaction in
      try SampleGroup.add(SampleGroup.alice, to: transaction)
      try SampleGroup.add(SampleGroup.bob, to: transaction)
    }
  }

  private func secrets(_ name: String, in group: UnlockedGroup) throws -> [String] {
    try group.read { transaction in
      let account = try #require(
        try transaction.accounts(named: CaseFolding.fold(name)).first)
      return try account.record.stored.map {
        String(
          decoding: try transaction.payload(of: $0, in: account).secret.reveal(), as: UTF8.self)
      }
    }
  }

  private func recordCount(_ group: UnlockedGroup) throws -> Int64 {
    let query = try group.database.statement("SELECT sum(1) FROM record")
    defer { query.reset() }
    return try query.step() ? query.int64(0) : 0
  }

  @Test func aSecretThatWasGivenToAnotherAccountIsNotReturned() throws {
    let group = try made().open()
    #expect(try secrets(SampleGroup.alice.username, in: group).count == 2)
    try group.database.execute("UPDATE record SET account = 2 WHERE id = 1")
    #expect(throws: StoreError.damaged(rows: 1)) {
      _ = try secrets(SampleGroup.alice.username, in: group)
    }
    #expect(try secrets(SampleGroup.bob.username, in: group).count == 2)
    #expect(try !group.read { try $0.verify() }.isSound)
  }

  @Test func aSignOutDeletesASecretThatWasGivenToAnotherAccount() throws {
    var fresh = try made()
    do {
      let group = try fresh.open()
      #expect(try recordCount(group) == 4)
      try group.database.execute("UPDATE record SET account = 2 WHERE id = 1")
    }
    let group = try fresh.signOut([SampleGroup.alice.username])
    #expect(try recordCount(group) == 2)
    #expect(try secrets(SampleGroup.bob.username, in: group).count == 2)
    #expect(try group.read { try $0.verify() }.isSound)
  }

  /// Each inner page names the next one a hundred times: with a dozen pages, a scan has 10^20 rows.
  @Test(arguments: ["account", "record", "account_key", "name"])
  func pagesThatNameEachOtherDoNotKeepAReaderBusy(table: String) throws {
    let fresh = try made()
    let root = try rootPage(of: table, in: fresh.open())
    try write(try grown(contents(fresh.path), from: root), to: fresh.path)
    try expectEveryUseToEnd(fresh.open())
  }

  /// Of two rows that are exchanged, each is the next one after the other, if they are read one by one.
  @Test(arguments: ["account", "record", "account_key", "name"], [1, 2])
  func rowsOutOfOrderDoNotKeepAProgramBusy(table: String, version: Int) throws {
    let path = scratch("a.vault")
    var secret = try bytes(hex: SampleGroup.Keys.fixture().secondGeneration)
    if version == 1 {
      try write(contents(SampleGroup.fixtures.appending(path: "v1-group.vault").path), to: path)
    } else {
      secret = try FreshGroup(path) { transaction in
        for account in [SampleGroup.alice, SampleGroup.bob, SampleGroup.carol] {
          try SampleGroup.add(account, to: transaction)
        }
      }.secret
    }
    let root = try rootPage(of: table, in: unlock(path, secret))
    let sound = try contents(path)
    let page = (root - 1) * 4096
    try #require([10, 13].contains(sound[page]), "a leaf")
    for row in 0..<Int(sound[page + 4]) - 1 {
      var bytes = sound
      for place in [page + 8 + 2 * row, page + 9 + 2 * row] { bytes.swapAt(place, place + 2) }
      let changed = scratch("\(row).vault")
      try write(bytes, to: changed)
      try expectEveryUseToEnd(unlock(changed, secret))
    }
  }

  private func rootPage(of table: String, in group: UnlockedGroup) throws -> Int {
    let query = try group.database.statement(
      "SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'")
    #expect(try query.step())
    let root = Int(query.int64(0))
    query.reset()
    #expect(try group.truncateLog())
    return root
  }

  /// Reads a damaged group, and renews its keys.
  private func expectEveryUseToEnd(_ group: UnlockedGroup) throws {
    let read: [(GroupTransaction) throws -> Void] = [
      { _ = try $0.verify() }, { _ = try $0.forEachAccount { _ in } },
      { _ = try $0.accounts(named: Array("nobody".utf8)) },
    ]
    for body in read {
      // Whatever a read of the other tables returns, it comes to an end.
      do { try group.read(body) } catch StoreError.damaged {}
    }
    do {
      #expect(try !group.read { try $0.verify() }.isSound)
    } catch StoreError.damaged {}
    do {
      try group.write { transaction in
        _ = try transaction.rotate(
          to: key(RandomBytes.make(32), of: group.header), erasing: [], boot: "boot",
          deletesOldKey: false)
        _ = try transaction.renew()
      }
    } catch StoreError.damaged {}
  }

  /// The file with a dozen more pages between the root of a table and its rows.
  private func grown(_ image: [UInt8], from root: Int) -> [UInt8] {
    let size = 4096
    var pages = stride(from: 0, to: image.count, by: size).map { Array(image[$0..<$0 + size]) }
    let leaf = pages[root - 1]
    let isIndex = leaf[0] == 10
    let depth = 12
    // The leaf moves to the end.
    let last = pages.count + depth
    for level in 0..<depth {
      // The root keeps its number; every other page is the one that is appended now.
      let own = pages.count + (level == 0 ? 0 : 1)
      let page = inner(child: level == depth - 1 ? last : own + 1, isIndex: isIndex)
      if level == 0 { pages[root - 1] = page } else { pages.append(page) }
    }
    pages.append(leaf)
    var bytes = pages.flatMap { $0 }
    bytes.replaceSubrange(28..<32, with: number(pages.count))
    return bytes
  }

  private func inner(child: Int, isIndex: Bool) -> [UInt8] {
    var page = [UInt8](repeating: 0, count: 4096)
    let count = isIndex ? 20 : 100
    page[0] = isIndex ? 2 : 5
    page.replaceSubrange(8..<12, with: number(child))
    var start = 4096
    for cell in 0..<count {
      // A cell of a table has a row number, one of an index a record: here, of one small number.
      let bytes = number(child) + (isIndex ? [3, 2, 1, UInt8(cell)] : [UInt8(cell + 1)])
      start -= max(bytes.count, 4)
      page.replaceSubrange(start..<start + bytes.count, with: bytes)
      let place = 12 + 2 * cell
      page.replaceSubrange(place..<place + 2, with: [UInt8(start >> 8), UInt8(start & 0xff)])
    }
    page[3] = UInt8(count >> 8)
    page[4] = UInt8(count & 0xff)
    page[5] = UInt8(start >> 8)
    page[6] = UInt8(start & 0xff)
    return page
  }

  private func number(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  /// While another thread gives the name to one file and to another without pause, only the file that
  /// passes the checks is ever opened.
  @Test(arguments: ["a file of others", "a link"])
  func aFileThatTakesTheNameAfterTheCheckIsNotOpened(kind: String) throws {
    let good = try made()
    let other = try FreshGroup(scratch("b.vault"))
    let wanted = try LockedGroup(path: good.path).header.groupID
    let (mine, rival) = (scratch("mine"), scratch("rival"))
    #expect(unsafe link(good.path, mine) == 0)
    if kind == "a link" {
      #expect(unsafe symlink(other.path, rival) == 0)
    } else {
      #expect(unsafe link(other.path, rival) == 0)
      #expect(unsafe chmod(rival, 0o644) == 0)
    }
    let race = Race()
    let draft = scratch("draft")
    let swapper = Thread {
      while !race.isOver.load(ordering: .relaxed) {
        for source in [rival, mine] {
          // A symbolic link gets another name, too.
          unsafe linkat(AT_FDCWD, source, AT_FDCWD, draft, 0)
          unsafe rename(draft, good.path)
        }
        race.swaps.add(1, ordering: .relaxed)
      }
    }
    swapper.start()
    defer {
      race.isOver.store(true, ordering: .relaxed)
      while !swapper.isFinished { usleep(100) }
    }
    var (attempts, opened) = (0, 0)
    // On a busy machine, the other thread may get less time than this one.
    while attempts < 3_000 || race.swaps.load(ordering: .relaxed) <= 1_000 {
      attempts += 1
      if try opens(good.path, as: wanted) { opened += 1 }
    }
    #expect(opened > 0)
  }

  /// Whether a group opens. It must be this one.
  private func opens(_ path: String, as wanted: [UInt8]) throws -> Bool {
    do {
      let found = try LockedGroup(path: path).header.groupID
      #expect(found == wanted)
      return true
    } catch StoreError.busy {
      return false
    } catch StoreError.unsafe {
      return false
    }
  }
}

private final class Race: Sendable {
  let isOver = Atomic(false)
  let swaps = Atomic(0)
}
