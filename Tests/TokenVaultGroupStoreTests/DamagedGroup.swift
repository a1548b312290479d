import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore

/// A group file that is damaged repeatedly. Each time, every kind of read is tried.
final class DamagedGroup {
  private let scratch: Scratch
  private let path: String
  private let file: FileHandle
  private let key: [UInt8]
  private var image: [UInt8]
  private(set) var findings: [String] = []
  /// The number of reads that reported damage.
  private(set) var unreadable = 0
  private let ids = Set(
    [SampleGroup.alice, SampleGroup.bob, SampleGroup.carol].map(\.homeAccountID))
  private let token = Array(SampleGroup.secret(.accessToken, of: SampleGroup.alice).utf8)

  init(_ image: [UInt8], key: [UInt8]) throws {
    self.key = key
    // In memory if possible, because these tests do not need durability.
    scratch = try Scratch(
      in: FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : nil)
    path = scratch("group.vault")
    self.image = image
    try TokenVaultGroupStoreTests.write(image, to: path)
    file = try #require(FileHandle(forUpdatingAtPath: path))
  }

  func replace(with damaged: [UInt8]) throws {
    image = damaged
    try file.truncate(atOffset: 0)
    try file.seek(toOffset: 0)
    try file.write(contentsOf: Data(damaged))
  }

  private var flipped: (offset: Int, bit: Int)?

  func flip(_ offset: Int, _ bit: Int) throws {
    if let flipped { try toggle(flipped.offset, flipped.bit) }
    try toggle(offset, bit)
    flipped = (offset, bit)
  }

  private func toggle(_ offset: Int, _ bit: Int) throws {
    image[offset] ^= 1 << UInt8(bit)
    guard unsafe pwrite(file.fileDescriptor, [image[offset]], 1, off_t(offset)) == 1 else {
      throw StoreError.diskFull
    }
  }

  private var changed: [Int] = []

  func examine(_ what: String) {
    do { changed = try lastChange() } catch { findings.append("\(what): \(error)") }
    attempt(what, "open") {
      let group = try unlock(path, key)
      try group.read { transaction in
        attempt(what, "list") { try list(transaction) }
        attempt(what, "name and token") {
          let found = try transaction.accounts(
            named: CaseFolding.fold(SampleGroup.alice.username))
          guard found.map(\.record.homeAccountID) == [SampleGroup.alice.homeAccountID],
            let account = found.first, let stored = account.record.stored.first
          else { return "found \(found.count) accounts" }
          let secret = try transaction.payload(of: stored, in: account).secret.reveal()
          return secret == token ? nil : "wrong token"
        }
        attempt(what, "current") {
          try transaction.currentAccount()?.record.homeAccountID == SampleGroup.alice.homeAccountID
            ? nil : "wrong current account"
        }
      }
      return nil
    }
    expectUnchanged(what)
  }

  /// Compares the file's content only if its size or modification time changed, which is cheap; any
  /// write would change the modification time.
  private func expectUnchanged(_ what: String) {
    do {
      let now = try lastChange()
      if now != changed {
        guard try contents(path) == image else {
          findings.append("\(what): the file was changed")
          return try replace(with: image)
        }
      }
    } catch { findings.append("\(what): \(error)") }
  }

  private func lastChange() throws -> [Int] {
    var status = stat()
    guard unsafe fstat(file.fileDescriptor, &status) == 0 else { throw StoreError.busy }
    return [Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
  }

  private func list(_ transaction: GroupTransaction) throws -> String? {
    var found: [String] = []
    let damaged = try transaction.forEachAccount { found.append($0.record.homeAccountID) }
    guard Set(found).count == found.count, ids.isSuperset(of: found),
      found.count + damaged == ids.count
    else { return "listed \(found), \(damaged) damaged" }
    return nil
  }

  private func attempt(_ what: String, _ operation: String, _ body: () throws -> String?) {
    do {
      if let wrong = try body() { findings.append("\(what): \(operation): \(wrong)") }
    } catch StoreError.damaged {
      unreadable += 1
    } catch StoreError.notAGroupFile {
      unreadable += 1
    } catch StoreError.unsupportedVersion {
      unreadable += 1
    } catch { findings.append("\(what): \(operation): \(error)") }
  }
}
