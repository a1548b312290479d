import Glibc

/// What came in on a connection. A reference, so that no reader can make the array copy itself
/// and leave a secret behind; wiped when it goes, and whenever it grows.
final class ReceiveBuffer {
  private(set) var bytes = [UInt8](repeating: 0, count: 4096)
  private(set) var count = 0

  /// Lets `fill` write behind what is there; it returns how many bytes it wrote.
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
