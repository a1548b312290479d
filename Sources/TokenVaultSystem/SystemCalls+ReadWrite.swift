import Glibc

/// Reading and writing of files, pipes and terminals whose descriptor blocks. A call that a signal
/// interrupted is repeated.
extension SystemCalls {
  /// One read(2).
  /// - Returns: how many bytes arrived; 0 at the end.
  package static func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemCallError) -> Int {
    let count = retried { unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
    if count == -1 { throw SystemCallError(errno: errno, call: "read") }
    return count
  }

  /// Reads until the buffer is full or the input ends.
  /// - Returns: how many bytes were read.
  package static func readAll(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemCallError) -> Int {
    var filled = 0
    while filled < buffer.count {
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let count = unsafe try read(descriptor, into: rest)
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  /// Reads to the end of the input. The bytes pass through ordinary memory: secrets are read into
  /// a buffer of locked memory.
  /// - Parameters:
  ///   - limit: how many bytes are accepted.
  ///   - expected: how many bytes there probably are.
  /// - Returns: nil when there are more than `limit`.
  package static func readAll(
    _ descriptor: Int32, limit: Int, expected: Int = 0
  ) throws(SystemCallError) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(min(expected, limit))
    var chunk = [UInt8](repeating: 0, count: min(limit, 1 << 16) + 1)
    while true {
      let count = unsafe try chunk.withUnsafeMutableBytes { chunk in
        Result { () throws(SystemCallError) in unsafe try read(descriptor, into: chunk) }
      }.get()
      if count == 0 { return bytes }
      if bytes.count + count > limit { return nil }
      bytes += chunk[..<count]
    }
  }

  /// Writes all of `bytes`.
  package static func writeAll(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32
  ) throws(SystemCallError) {
    var written = 0
    while written < bytes.count {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
      let count = retried { unsafe Glibc.write(descriptor, rest.baseAddress, rest.count) }
      if count == -1 { throw SystemCallError(errno: errno, call: "write") }
      written += count
    }
  }

  /// Writes all of `bytes`.
  package static func writeAll(
    _ bytes: [UInt8], to descriptor: Int32
  ) throws(SystemCallError) {
    unsafe try bytes.withUnsafeBytes { bytes in
      Result { () throws(SystemCallError) in unsafe try writeAll(bytes, to: descriptor) }
    }.get()
  }

  /// Sets the size of an open file.
  package static func truncate(
    _ descriptor: Int32, to size: Int
  ) throws(SystemCallError) {
    guard retried({ ftruncate(descriptor, size) }) == 0 else {
      throw SystemCallError(errno: errno, call: "ftruncate")
    }
  }
}
