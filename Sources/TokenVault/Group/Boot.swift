import Glibc

/// Identifies the running boot by the id that the kernel assigns to it.
enum Boot {
  static func identifier() throws(VaultError) -> String {
    let path = "/proc/sys/kernel/random/boot_id"
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .file(path: path, call: "open", errno: errno) }
    defer { Glibc.close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 36)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
    }
    guard count == 36 else { throw .file(path: path, call: "read", errno: errno) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
