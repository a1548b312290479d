import Glibc
internal import TokenVaultModel
internal import TokenVaultSystem
package import TokenVaultCrypto

/// Keeps a group's key in the kernel's user keyring for a limited time (`group unlock --for`).
///
/// It is not a ``KeyCustodian``: no group's header names it, and a key that it has lost is retrieved
/// from the group's custodian. Each entry is stored under its generation, so that a key from before
/// a rotation is never found.
package enum KernelKeyring {
  private static let expirySize = 8

  /// Keeps a key for `seconds`, at least one; replaces the key and the lifetime of an entry with the
  /// same id.
  package static func keep(
    _ key: borrowing SecretBytes, as id: GroupKeyID, seconds: UInt32
  ) throws(CustodyError) {
    // A timeout of zero means no timeout.
    guard key.count == groupKeySize, seconds > 0 else { throw .kernelKeyring(errno: EINVAL) }
    let payload = try crypto(key) { (key) throws(CryptoError) in
      var payload = try SecretBytes(count: expirySize + groupKeySize)
      let expiry = now() + UInt64(seconds)
      unsafe payload.withUnsafeMutableBytes { payload in
        unsafe payload.storeBytes(of: expiry.littleEndian, as: UInt64.self)
        unsafe key.withUnsafeBytes {
          unsafe UnsafeMutableRawBufferPointer(rebasing: payload[expirySize...])
            .copyMemory(from: $0)
        }
      }
      return payload
    }
    try kernel(payload) { (payload) throws(SystemCallError) in
      unsafe try payload.withUnsafeBytes { (payload) throws(SystemCallError) in
        unsafe try KernelKeys.add(description(id), payload: payload, seconds: seconds)
      }
    }
  }

  /// The key with this id; nil when there is none or its lifetime has ended.
  package static func key(_ id: GroupKeyID) throws(CustodyError) -> SecretBytes? {
    guard let payload = try payload(id) else { return nil }
    return try crypto(payload) { (payload) throws(CryptoError) in
      unsafe try payload.withUnsafeBytes { (payload) throws(CryptoError) in
        unsafe try SecretBytes(copying: UnsafeRawBufferPointer(rebasing: payload[expirySize...]))
      }
    }
  }

  /// Whether there is an entry with this id. If the kernel does not say so, there is none.
  package static func contains(_ id: GroupKeyID) -> Bool {
    do throws(SystemCallError) { return try KernelKeys.find(description(id)) != nil } catch {
      return false
    }
  }

  /// The remaining lifetime in seconds, for which a rotation keeps the successor; nil when there is
  /// no key with this id.
  package static func secondsLeft(_ id: GroupKeyID) throws(CustodyError) -> UInt32? {
    guard let payload = try payload(id) else { return nil }
    let expiry = unsafe payload.withUnsafeBytes {
      UInt64(littleEndian: unsafe $0.loadUnaligned(as: UInt64.self))
    }
    let now = now()
    return expiry > now ? UInt32(clamping: expiry - now) : nil
  }

  /// Throws when the kernel has no user keyring for this process; some containers forbid it.
  package static func requireAvailability() throws(CustodyError) {
    do throws(SystemCallError) { _ = try KernelKeys.find("tokenvault") } catch {
      throw .kernelKeyring(errno: error.errno)
    }
  }

  /// Removes the keys of every generation of a group.
  /// - Returns: whether there was one.
  /// - Throws: `kernelKeyring` with `EPERM` or `ENOSYS` if this process may not look.
  @discardableResult
  package static func forgetAll(of groupID: [UInt8]) throws(CustodyError) -> Bool {
    do throws(SystemCallError) {
      let prefix = "tokenvault:\(Hexadecimal.encode(groupID)):"
      var found = false
      for description in try KernelKeys.descriptions(beginningWith: prefix) {
        guard let serial = try KernelKeys.find(description) else { continue }
        if try KernelKeys.remove(serial) { found = true }
      }
      return found
    } catch {
      throw .kernelKeyring(errno: error.errno)
    }
  }

  private static func payload(_ id: GroupKeyID) throws(CustodyError) -> SecretBytes? {
    let serial: Int32?
    do throws(SystemCallError) { serial = try KernelKeys.find(description(id)) } catch {
      throw .kernelKeyring(errno: error.errno)
    }
    // Without a key, nothing allocates locked memory.
    guard let serial else { return nil }
    var payload = try crypto { () throws(CryptoError) in
      try SecretBytes(count: expirySize + groupKeySize)
    }
    let size: Int?
    do throws(SystemCallError) {
      size = unsafe try payload.withUnsafeMutableBytes { (buffer) throws(SystemCallError) in
        unsafe try KernelKeys.read(serial, into: buffer)
      }
    } catch {
      throw .kernelKeyring(errno: error.errno)
    }
    guard let size else { return nil }
    // Another program stored an entry under the same description.
    guard size == expirySize + groupKeySize else { throw .wrongKey }
    return payload
  }

  private static func kernel(
    _ secret: borrowing SecretBytes,
    _ operation: (borrowing SecretBytes) throws(SystemCallError) -> Void
  ) throws(CustodyError) {
    do throws(SystemCallError) {
      try operation(secret)
    } catch {
      throw .kernelKeyring(errno: error.errno)
    }
  }

  private static func description(_ id: GroupKeyID) -> String {
    "tokenvault:\(id.hexadecimalGroupID):\(id.generation)"
  }

  /// Seconds since boot: this clock cannot be set and counts the time in suspension.
  private static func now() -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return UInt64(time.tv_sec)
  }
}
