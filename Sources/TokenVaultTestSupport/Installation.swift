package import Foundation

/// The program as it is installed: the front as `bin/tokenvault`, and the full program behind it.
package struct Installation: Sendable {
  /// The executable that people run.
  package let program: URL
  /// The full program.
  package let full: URL

  /// Makes one below a directory that exists.
  package init(in directory: URL) throws {
    let prefix = directory.appending(path: "prefix-\(UUID().uuidString.prefix(8))")
    program = prefix.appending(path: "bin/tokenvault")
    full = prefix.appending(path: "libexec/tokenvault/tokenvault")
    // No symbolic links: each finds the other from its own place.
    for (name, place) in [("tokenvault-front", program), ("tokenvault", full)] {
      try FileManager.default.createDirectory(
        at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      let product = try BuiltProduct(name).url
      do { try FileManager.default.linkItem(at: product, to: place) } catch {
        // Another file system.
        try FileManager.default.copyItem(at: product, to: place)
      }
    }
  }

  /// Makes one outside a home, whose files are read after each command.
  package init(beside home: ShellHome) throws {
    try self.init(in: home.directory.deletingLastPathComponent())
  }
}
