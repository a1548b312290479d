import Foundation
import Testing

@testable import TokenVaultCrypto

@Suite(.timeLimit(.minutes(5))) struct SecretBytesTests {
  /// Reads this process's memory through the kernel; nil if nothing is mapped at the address.
  private func memory(at address: UInt, count: Int) throws -> [UInt8]? {
    let file = unsafe open("/proc/self/mem", O_RDONLY)
    try #require(file >= 0)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: count)
    let got = unsafe pread(file, &bytes, count, Int(bitPattern: address))
    return got == count ? bytes : nil
  }

  private struct Mapping {
    let range: Range<UInt>
    let access: Substring
    var flags: Set<Substring> = []
  }

  /// The entry in `/proc/self/smaps` for the mapping that contains an address.
  private func mapping(of address: UInt) throws -> Mapping {
    // Files in procfs report size 0, so this reads to the end.
    let file = try #require(FileHandle(forReadingAtPath: "/proc/self/smaps"))
    let text = String(decoding: try #require(try file.readToEnd()), as: UTF8.self)
    var found: Mapping?
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      if ends.count == 2, ends[0] <= address, address < ends[1] {
        found = Mapping(range: ends[0]..<ends[1], access: words[1])
      } else if var found, words[0] == "VmFlags:" {
        found.flags = Set(words.dropFirst())
        return found
      }
    }
    return try #require(found)
  }

  // Another test may already use the released slot. The pattern is random, so it can be there only
  // if it was not wiped.
  @Test(arguments: [16, 32, 33, 100, 4096, 4097, 100_000])
  func isWipedWhenReleased(count: Int) throws {
    let pattern = try RandomBytes.make(count)
    let address: UInt
    do {
      let secret = try SecretBytes(copying: pattern)
      address = secret.startAddress()
      #expect(try memory(at: address, count: count) == pattern)
    }
    let left = try memory(at: address, count: count) ?? []
    #expect(!left.contains(pattern.prefix(16)))
    #expect(!left.contains(pattern.suffix(16)))
  }

  @Test func isWipedWhenFillingFails() throws {
    let pattern = try RandomBytes.make(32)
    var address: UInt = 0
    #expect(throws: CryptoError.failed) {
      _ = unsafe try SecretBytes(count: 32) { (bytes) throws(CryptoError) in
        unsafe bytes.copyBytes(from: pattern)
        address = UInt(bitPattern: bytes.baseAddress)
        throw .failed
      }
    }
    #expect(address != 0)
    #expect(try memory(at: address, count: 32) != pattern)
  }

  @Test(arguments: [1, 32, 33, 2048, 4096])
  func leavesOnlyZerosBehind(count: Int) throws {
    var own = LockedMemory()
    let address = try own.allocate(count)
    let slot = unsafe UnsafeMutableRawBufferPointer(
      start: UnsafeMutableRawPointer(bitPattern: address), count: count)
    unsafe slot.copyBytes(from: [UInt8](repeating: 0xA5, count: count))
    own.release(address, count)
    #expect(try memory(at: address, count: count) == [UInt8](repeating: 0, count: count))
    #expect(try own.allocate(count) == address, "a released slot is used again")
  }

  @Test(arguments: [32, 100_000])
  func liesInLockedUndumpedPagesBetweenGuardPages(
    count: Int
  ) throws {
    let secret = try SecretBytes.random(count: count)
    let found = try mapping(of: secret.startAddress())
    #expect(found.access == "rw-p")
    #expect(found.flags.isSuperset(of: ["lo", "dd"]))
    #expect(try mapping(of: found.range.lowerBound - 1).access == "---p")
    #expect(try mapping(of: found.range.upperBound).access == "---p")
    #expect(secret.count == count)
  }

  @Test func holdsItsBytesAndClonesThemToAnotherAddress() throws {
    let bytes = try RandomBytes.make(50)
    let secret = try SecretBytes(copying: bytes)
    var clone = try secret.clone()
    #expect(secret.startAddress() != clone.startAddress())
    #expect(clone.copied() == bytes)
    let same = secret.isEqual(to: clone)
    #expect(same)
    unsafe clone.withUnsafeMutableBytes { unsafe $0[49] ^= 1 }
    let changed = secret.isEqual(to: clone)
    #expect(!changed)
    #expect(secret.copied() == bytes)
  }

  @Test func mayBeEmpty() throws {
    let empty = try SecretBytes(copying: [])
    let random = try SecretBytes.random(count: 0)
    let same = empty.isEqual(to: random)
    #expect(same && empty.copied().isEmpty)
  }

  @Test(arguments: [-1, Int.min, Int.max])
  func rejectsAnImpossibleSize(count: Int) {
    #expect(throws: CryptoError.badParameters) { _ = try SecretBytes(count: count) }
  }

  @Test func throwsOutOfMemoryInsteadOfUsingUnlockedMemory() {
    #expect(throws: CryptoError.outOfMemory) { _ = try SecretBytes(count: Int.max / 4) }
  }

  @Test func isDifferentEachTimeItIsRandom() throws {
    let values = try (0..<1000).map { _ in try SecretBytes.random(count: 32).copied() }
    #expect(Set(values).count == 1000)
  }

  @Test func keepsTheSecretsOfManyThreadsApart() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in UInt8(0)..<8 {
        group.addTask {
          for size in 1...500 {
            let bytes = [UInt8](repeating: task, count: size)
            let secret = try SecretBytes(copying: bytes)
            let other = try secret.clone()
            #expect(secret.copied() == bytes && other.copied() == bytes)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func fits10000KeysIntoTheUsual8MiBOfLockableMemory() async {
    await #expect(processExitsWith: .success) {
      try lockAtMost(8 << 20)
      let keys = try (0..<10_000).map { _ in try Key() }
      #expect(keys.count == 10_000)
    }
  }

  @Test func fits1000KeysInto64KiBOfLockableMemoryAndThenThrowsOutOfMemory() async {
    await #expect(processExitsWith: .success) {
      try lockAtMost(64 << 10)
      let keys = try (0..<1000).map { _ in try Key() }
      #expect(keys.count == 1000)
      #expect(throws: CryptoError.outOfMemory) { _ = try (0..<2000).map { _ in try Key() } }
    }
  }

  @Test func makesNoKeyIfNoMemoryMayBeLocked() async {
    await #expect(processExitsWith: .success) {
      try lockAtMost(0)
      #expect(throws: CryptoError.outOfMemory) { _ = try SecretBytes(count: 32) }
    }
  }
}

private final class Key {
  let bytes: SecretBytes
  init() throws { bytes = try SecretBytes.random(count: 32) }
}

/// The limit does not apply to root, so this gives up root privileges.
private func lockAtMost(_ bytes: Int) throws {
  var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
  try #require(unsafe setrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit) == 0)
  if getuid() == 0 { try #require(setuid(65534) == 0) }
}
