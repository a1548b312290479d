import Glibc
import TokenVaultSystem

/// The running boot, as the kernel names it.
enum Boot {
  static func identifier() throws(VaultError) -> String {
    let path = "/proc/sys/kernel/random/boot_id"
    do throws(SystemCallError) {
      let descriptor = try SystemCalls.open(path, O_RDONLY)
      defer { close(descriptor) }
      // A UUID and a newline.
      guard let bytes = try SystemCalls.readAll(descriptor, limit: 37), bytes.count >= 36 else {
        throw SystemCallError(errno: EIO, call: "read")
      }
      return String(decoding: bytes.prefix(36), as: UTF8.self)
    } catch { throw .file(path: path, call: error.call, errno: error.errno) }
  }
}
