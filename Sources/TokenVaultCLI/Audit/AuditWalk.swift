import Glibc
import TokenVaultPlaintext
import TokenVaultSystem

/// The files below directories whose names are those of files with secrets. Symbolic links to
/// directories are not followed, and the content of `.git` is left out.
struct AuditWalk {
  /// A directory or a file that cannot be read.
  struct Unread {
    let path: String
    let reason: String
  }

  private(set) var targets: [AuditTarget] = []
  private(set) var unread: [Unread] = []

  /// Looks below a directory.
  /// - Parameters:
  ///   - format: The format of every file; nil to go by the names.
  ///   - isOptional: Whether the directory need not exist.
  ///   - note: Called with the numbers of directories that were read, and that are known.
  mutating func look(
    below root: String, format: PlaintextFormat? = nil, isOptional: Bool = false,
    note: (_ done: Int, _ all: Int) -> Void = { _, _ in }
  ) {
    var waiting = [root]
    var done = 0
    while let directory = waiting.popLast() {
      guard let names = Self.names(in: directory) else {
        if !isOptional || errno != ENOENT && errno != ENOTDIR {
          unread.append(Unread(path: directory, reason: SystemMessage.text(errno)))
        }
        continue
      }
      for entry in names {
        let name = entry.name
        let path = directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
        guard entry.isText else {
          unread.append(Unread(path: path, reason: "its name is not UTF-8"))
          continue
        }
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
          unread.append(Unread(path: path, reason: SystemMessage.text(errno)))
          continue
        }
        if status.st_mode & S_IFMT == S_IFDIR {
          if name != ".git" { waiting.append(path) }
        } else if let format = format ?? Self.format(name, in: directory) {
          let original = PlaintextFormat.original(of: name).map { "\(directory)/\($0)" }
          targets.append(AuditTarget(path: path, format: format, original: original))
        }
      }
      done += 1
      note(done, done + waiting.count)
    }
  }

  private static func format(_ name: String, in directory: String) -> PlaintextFormat? {
    PlaintextFormat(
      fileName: name, in: directory.split(separator: "/").last.map(String.init) ?? "")
  }

  private struct Entry {
    let name: String
    /// Whether the name is UTF-8; otherwise it is only shown.
    let isText: Bool
  }

  /// The names in a directory, sorted; nil with `errno` if it cannot be read. No tool's file has a
  /// name that is not UTF-8, but a directory above it may have one.
  private static func names(in directory: String) -> [Entry]? {
    var entries: [Entry] = []
    func add(_ entry: UnsafeMutablePointer<dirent>) {
      let mayBeDirectory = unsafe [DT_DIR, DT_UNKNOWN].contains(Int(entry.pointee.d_type))
      let (text, shown) = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
          unsafe (String(validatingCString: $0), String(cString: $0))
        }
      }
      if let text {
        if text != ".", text != ".." { entries.append(Entry(name: text, isText: true)) }
      } else if mayBeDirectory {
        entries.append(Entry(name: shown, isText: false))
      }
    }
    do { unsafe try SystemCalls.forEachEntry(in: directory, add) } catch {
      errno = error.errno
      return nil
    }
    return entries.sorted { $0.name < $1.name }
  }
}
