import Foundation

/// The files of this process, in a directory that it removes when it ends.
enum TemporaryFiles {
  static let directory: String = {
    let path = FileManager.default.temporaryDirectory.appending(path: "fuzz-\(getpid())").path
    guard unsafe mkdir(path, 0o700) == 0 else { preconditionFailure("cannot make \(path)") }
    atexit { TemporaryFiles.removeAll() }
    return path
  }()

  static func path(_ name: String) -> String { directory + "/" + name }

  /// Writes a file with mode 0600, in place of the one that was there.
  static func write(_ bytes: [UInt8], to name: String) {
    guard let file = unsafe fopen(path(name), "w") else { preconditionFailure("no \(name)") }
    unsafe fchmod(fileno(file), 0o600)
    let count = unsafe fwrite(bytes, 1, bytes.count, file)
    precondition(unsafe fclose(file) == 0 && count == bytes.count, "cannot write \(name)")
  }

  static func remove(_ names: String...) {
    for name in names { unsafe unlink(path(name)) }
  }

  private static func removeAll() {
    do { try FileManager.default.removeItem(atPath: directory) } catch {
      print("cannot remove \(directory): \(error)")
    }
  }
}
