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
  /// process may not search (containers forbid it), in which case it cannot have added one either.
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

  private static func isAbsence(_ errno: Int32) -> Bool {
    errno == ENOKEY || errno == EKEYEXPIRED || errno == EKEYREVOKED
  }
}
