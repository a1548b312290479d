import Glibc

/// Bounds the work of a statement by the size of the file.
///
/// The pages of a file can be made to refer to each other, so that a few of them are a tree of more
/// rows than any program can read. SQLite does not notice, because no page is below itself.
final class ScanLimit {
  /// The number of steps of SQLite's virtual machine between two calls of ``isExceeded()``.
  static let interval: Int32 = 100_000

  /// The path of the database.
  private let path: String
  private var intervals: Int64 = 0

  init(_ path: String) { self.path = path }

  /// Begins the part of a statement up to its next row.
  func begin() { intervals = 0 }

  /// Called after each ``interval``. An integrity check, the most thorough statement, takes less
  /// than one step for a byte.
  func isExceeded() -> Bool {
    intervals += 1
    let steps = intervals * Int64(Self.interval)
    return steps > 1 << 22 && steps > 8 * size
  }

  /// Whether a statement returned more rows than the file has. No row takes less than 32 bytes.
  func isExceeded(rows: Int64) -> Bool { rows & 0xfff == 0 && rows > size / 32 }

  /// The size of the file and of its log.
  private var size: Int64 {
    [path, path + "-wal"].reduce(0) { sum, path in
      var status = stat()
      return unsafe stat(path, &status) == 0 ? sum + Int64(status.st_size) : sum
    }
  }
}
