internal import TokenVaultCSystem
import Glibc

/// Keys of type "user" in the kernel's user keyring (keyctl(2)): they outlive a process, expire
/// on their own, and only processes of the same user can read them.
package enum KernelKeys {
  /// Adds a key, or replaces the payload of the key with this description.
  /// - Parameter seconds: the lifetime of the key.
  package static func add(
    _ description: String, payload: UnsafeRawBufferPointer, seconds: UInt32
  ) throws(SystemCallError) {
    let serial = unsafe tv_key_add(description, payload.baseAddress, payload.count, seconds)
    if serial == -1 { throw SystemCallError(errno: errno, call: "add_key") }
  }

  /// The serial of the key with this description; nil if there is none, if it has expired, or if the
  /// process may not search (containers forbid it).
  package static func find(_ description: String) throws(SystemCallError) -> Int32? {
    let serial = unsafe tv_key_find(description)
    if serial != -1 { return serial }
    if isAbsence(errno) || errno == ENOSYS || errno == EPERM { return nil }
    throw SystemCallError(errno: errno, call: "keyctl_search")
  }

  /// Reads a key's payload.
  /// - Returns: the payload's size, which may exceed the buffer's; nil if the key is gone.
  package static func read(
    _ serial: Int32, into buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemCallError) -> Int? {
    let count = unsafe tv_key_read(serial, buffer.baseAddress, buffer.count)
    if count >= 0 { return count }
    if isAbsence(errno) { return nil }
    throw SystemCallError(errno: errno, call: "keyctl_read")
  }

  /// Removes a key from the keyring.
  /// - Returns: whether it was still there.
  package static func remove(_ serial: Int32) throws(SystemCallError) -> Bool {
    if tv_key_remove(serial) == 0 { return true }
    if isAbsence(errno) || errno == ENOENT { return false }
    throw SystemCallError(errno: errno, call: "keyctl_unlink")
  }

  /// The descriptions of all keys of type "user" that begin with `prefix`.
  /// - Throws: Also `EPERM` and `ENOSYS` if the process may not look; containers forbid it. Then
  ///   nothing is known about the keys that another process added.
  package static func descriptions(
    beginningWith prefix: String
  ) throws(SystemCallError) -> [String] {
    var found: [String] = []
    for serial in try serials() {
      guard let text = try description(serial), text.hasPrefix("user;") else { continue }
      // The fields between the type and the description are numbers.
      let fields = text.split(separator: ";", maxSplits: 4, omittingEmptySubsequences: false)
      if fields.count == 5, fields[4].hasPrefix(prefix) { found.append(String(fields[4])) }
    }
    return found
  }

  private static func serials() throws(SystemCallError) -> [Int32] {
    var serials = [Int32](repeating: 0, count: 64)
    while true {
      let width = MemoryLayout<Int32>.size
      let size = unsafe tv_key_list(&serials, serials.count * width)
      if size < 0 { throw SystemCallError(errno: errno, call: "keyctl_read") }
      if size <= serials.count * width { return Array(serials.prefix(size / width)) }
      // Another process added keys meanwhile; there may be more of them at the next call.
      serials = [Int32](repeating: 0, count: size / width + 64)
    }
  }

  /// Nil if the key is gone, or belongs to another user.
  private static func description(_ serial: Int32) throws(SystemCallError) -> String? {
    // The kernel limits a description to one page.
    var text = [UInt8](repeating: 0, count: 4200)
    let size = unsafe text.withUnsafeMutableBytes {
      unsafe tv_key_describe(serial, $0.baseAddress, $0.count)
    }
    if size >= 0 { return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self) }
    if isAbsence(errno) || errno == EACCES { return nil }
    throw SystemCallError(errno: errno, call: "keyctl_describe")
  }

  private static func isAbsence(_ errno: Int32) -> Bool {
    errno == ENOKEY || errno == EKEYEXPIRED || errno == EKEYREVOKED
  }
}
