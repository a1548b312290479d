import Glibc
import TokenVaultPlaintext

/// The files below directories whose names are those of files with secrets. Symbolic links to
/// directories are not followed, and the content of `.git` is left out.
struct AuditWalk {
  /// A directory that cannot be read.
  struct Unread {
    let path: String
    let reason: String
  }

  private(set) var targets: [AuditTarget] = []
  private(set) var unread: [Unread] = []

  /// Looks below a directory.
  /// - Parameters:
  ///   - format: The format of every file; nil to go by the names.
  ///   - note: Called with the numbers of directories that were read, and that are known.
  mutating func look(
    below root: String, format: PlaintextFormat? = nil,
    note: (_ done: Int, _ all: Int) -> Void = { _, _ in }
  ) {
    var waiting = [root]
    var done = 0
    while let directory = waiting.popLast() {
      guard let names = Self.names(in: directory) else {
        if format == nil || errno != ENOENT && errno != ENOTDIR {
          unread.append(Unread(path: directory, reason: SystemMessage.text(errno)))
        }
        continue
      }
      for name in names {
        let path = directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { continue }
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

  /// The names in a directory, sorted; nil with `errno` if it cannot be read.
  private static func names(in directory: String) -> [String]? {
    guard let stream = unsafe opendir(directory) else { return nil }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
          unsafe String(cString: $0)
        }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
