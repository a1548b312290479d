import Glibc
import TokenVaultSystem

/// Files named on the command line, and standard input.
enum InputFile {
  static let standardInputName = "standard input"

  /// Reads the whole file. A file larger than `limit` bytes is refused before it is read.
  static func read(_ path: String, limit: Int) throws(CommandError) -> [UInt8] {
    let descriptor: Int32
    do { descriptor = try SystemCalls.open(path, O_RDONLY) } catch {
      throw .input(path: path, errno: error.errno)
    }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .input(path: path, errno: errno) }
    if status.st_mode & S_IFMT == S_IFDIR { throw .input(path: path, errno: EISDIR) }
    guard status.st_size <= limit else { throw .inputTooLarge(path: path, limit: limit) }
    return try all(descriptor, path: path, limit: limit, expected: Int(status.st_size))
  }

  static func standardInput(limit: Int) throws(CommandError) -> [UInt8] {
    try all(STDIN_FILENO, path: standardInputName, limit: limit, expected: 0)
  }

  static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

  private static func all(
    _ descriptor: Int32, path: String, limit: Int, expected: Int
  ) throws(CommandError) -> [UInt8] {
    let bytes: [UInt8]?
    do { bytes = try SystemCalls.readAll(descriptor, limit: limit, expected: expected) } catch {
      throw .input(path: path, errno: error.errno)
    }
    guard let bytes else { throw .inputTooLarge(path: path, limit: limit) }
    return bytes
  }
}
