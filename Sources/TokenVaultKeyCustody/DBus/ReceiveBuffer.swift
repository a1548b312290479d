import Glibc

/// The bytes received on a connection. A class, so that no reader can trigger a copy of the array
/// and leave a secret behind in it; wiped when it is released and whenever it grows.
final class ReceiveBuffer {
  private(set) var bytes = [UInt8](repeating: 0, count: 4096)
  private(set) var count = 0

  /// Lets `fill` append bytes; it returns how many it wrote.
  func receive(_ fill: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
    if count == bytes.count {
      var larger = [UInt8](repeating: 0, count: bytes.count * 4)
      larger.replaceSubrange(0..<count, with: bytes)
      wipe()
      bytes = larger
    }
    let filled = count
    let received = unsafe bytes.withUnsafeMutableBytes {
      unsafe fill(UnsafeMutableRawBufferPointer(rebasing: $0[filled...]))
    }
    count += max(received, 0)
    return received
  }

  deinit { wipe() }

  private func wipe() {
    unsafe bytes.withUnsafeMutableBytes {
      guard let start = $0.baseAddress else { return }
      unsafe explicit_bzero(start, $0.count)
    }
  }
}
