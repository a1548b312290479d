/// The backup programs that a user has run, by the files that each of them leaves. They may have
/// copied any file of the home. A directory with the tag of caches is left out of their backups.
struct BackupTraces {
  private let home: String?

  init(home: String?) { self.home = home }

  private static let traces = [
    ("borg", ".config/borg"), ("borg", ".cache/borg"), ("borgmatic", ".config/borgmatic"),
    ("deja-dup", ".cache/deja-dup"), ("duplicity", ".cache/duplicity"),
    ("kopia", ".config/kopia"), ("restic", ".cache/restic"),
  ]
  /// The directories in which file systems and Timeshift show their snapshots.
  private static let snapshots = [
    ("snapper", ".snapshots"), ("zfs", ".zfs/snapshot"), ("timeshift", "timeshift/snapshots"),
  ]

  /// The names of the programs whose backups may have the file.
  func tools(for path: String) -> [String] {
    let above = Self.directories(above: path)
    var found = above.flatMap { directory in
      Self.snapshots.filter { InputFile.exists("\(directory)/\($0.1)") }.map(\.0)
    }
    if let home, path.hasPrefix(home + "/"), !above.contains(where: Self.isCache) {
      found += Self.traces.filter { InputFile.exists("\(home)/\($0.1)") }.map(\.0)
    }
    return Set(found).sorted()
  }

  private static func isCache(_ directory: String) -> Bool {
    InputFile.exists(directory + "/CACHEDIR.TAG")
  }

  /// Without the slash at their ends; the root is empty.
  private static func directories(above path: String) -> [String] {
    path.indices.filter { path[$0] == "/" }.map { String(path[..<$0]) }
  }
}
