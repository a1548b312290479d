import Glibc
import TokenVaultSystem

/// The lines of standard input, each as soon as it has arrived.
struct InputLines {
  private let limit: Int
  private var rest: [UInt8] = []
  private var isAtEnd = false

  /// - Parameter limit: The longest line, in bytes.
  init(limit: Int) { self.limit = limit }

  /// The next line without its line feed; nil at the end.
  mutating func next() throws(CommandError) -> [UInt8]? {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        defer { rest.removeSubrange(...end) }
        return Array(rest[..<end])
      }
      guard rest.count <= limit else {
        throw .inputTooLarge(path: InputFile.standardInputName, limit: limit)
      }
      if isAtEnd {
        defer { rest = [] }
        return rest.isEmpty ? nil : rest
      }
      try fill()
    }
  }

  private mutating func fill() throws(CommandError) {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    let count: Int
    do {
      count = unsafe try chunk.withUnsafeMutableBytes { chunk in
        Result { () throws(SystemCallError) in
          unsafe try SystemCalls.read(STDIN_FILENO, into: chunk)
        }
      }.get()
    } catch { throw .input(path: InputFile.standardInputName, errno: error.errno) }
    rest += chunk[..<count]
    isAtEnd = count == 0
  }
}
