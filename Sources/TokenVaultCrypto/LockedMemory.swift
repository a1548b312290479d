internal import TokenVaultCOpenSSL
import Glibc
import Synchronization

/// An allocator for pages that are never swapped out or dumped, divided into slots whose sizes are
/// powers of two.
///
/// OpenSSL's secure heap has a fixed size that is set at start-up, and one page per key would
/// exhaust the usual `RLIMIT_MEMLOCK` of 8 MiB at 2,000 keys. With slots, 10,000 keys take 320 KiB,
/// allocated 16 KiB at a time. Addresses are stored as numbers because the memory belongs to the
/// owner of the slot.
struct LockedMemory {
  static let shared = Mutex(LockedMemory())

  private static let pageSize = sysconf(Int32(_SC_PAGESIZE))
  private static let pagesPerRegion = 4
  private static let smallestSlot = 32

  /// Indexed by the binary logarithm of the slot size.
  private var freeSlots = [[UInt]](repeating: [], count: Int.bitWidth)
  private var freePages: [UInt] = []

  /// Allocates at least `count` bytes, all zero, and returns their address.
  mutating func allocate(_ count: Int) throws(CryptoError) -> UInt {
    let size = Self.slotSize(count)
    if size > Self.pageSize { return try Self.map(size) }
    if let slot = freeSlots[size.trailingZeroBitCount].popLast() { return slot }
    if freePages.isEmpty {
      let region = try Self.map(Self.pageSize * Self.pagesPerRegion)
      freePages = (0..<Self.pagesPerRegion).map { region + UInt($0 * Self.pageSize) }
    }
    let page = freePages.removeLast()
    freeSlots[size.trailingZeroBitCount] += stride(from: size, to: Self.pageSize, by: size).map {
      page + UInt($0)
    }
    return page
  }

  /// Wipes and frees the slot that `allocate` returned for the same `count`.
  mutating func release(_ address: UInt, _ count: Int) {
    let size = Self.slotSize(count)
    unsafe OPENSSL_cleanse(UnsafeMutableRawPointer(bitPattern: address), size)
    if size > Self.pageSize {
      Self.unmap(address, size)
    } else {
      freeSlots[size.trailingZeroBitCount].append(address)
    }
  }

  private static func slotSize(_ count: Int) -> Int {
    if count > pageSize { return (count + pageSize - 1) / pageSize * pageSize }
    var size = smallestSlot
    while size < count { size *= 2 }
    return size
  }

  /// Maps the pages between two inaccessible guard pages, so that reading past either end faults.
  private static func map(_ size: Int) throws(CryptoError) -> UInt {
    let flags = MAP_PRIVATE | MAP_ANONYMOUS
    guard
      let outer = unsafe mmap(nil, size + 2 * pageSize, PROT_NONE, flags, -1, 0),
      unsafe outer != MAP_FAILED
    else { throw .outOfMemory }
    let start = unsafe outer + pageSize
    let address = UInt(bitPattern: start)
    guard
      unsafe mprotect(start, size, PROT_READ | PROT_WRITE) == 0,
      unsafe mlock(start, size) == 0,
      unsafe madvise(start, size, MADV_DONTDUMP) == 0
    else {
      unmap(address, size)
      throw .outOfMemory
    }
    return address
  }

  private static func unmap(_ address: UInt, _ size: Int) {
    unsafe munmap(
      UnsafeMutableRawPointer(bitPattern: address - UInt(pageSize)), size + 2 * pageSize)
  }
}
