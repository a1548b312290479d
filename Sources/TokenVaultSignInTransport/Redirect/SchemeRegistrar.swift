import Glibc
import TokenVaultSignIn
import TokenVaultSystem

/// Makes sure that a program delivers the URLs of a private-use scheme.
package struct SchemeRegistrar: Sendable {
  private let environment: [String: String]

  /// - Parameter environment: names the data directories and the PATH in which `tokenvault` is
  ///   looked for.
  package init(environment: [String: String]) { self.environment = environment }

  /// Registers `tokenvault redirect` for a scheme that no program is registered for.
  /// - Throws: ``SignInError/redirectSchemeNotRegistered(scheme:)`` if it is not installed;
  ///   ``SignInError/redirectUnavailable(_:)`` if the registration cannot be written.
  func require(_ scheme: String) throws(SignInError) {
    if isHandled(scheme) { return }
    guard let home = dataHome, let program else {
      throw .redirectSchemeNotRegistered(scheme: scheme)
    }
    let registration = SchemeRegistration(
      scheme: scheme, arguments: [program, "redirect"], dataDirectory: home,
      environment: environment)
    do { _ = try registration.install() } catch { throw .redirectUnavailable(error.errno) }
  }

  private func isHandled(_ scheme: String) -> Bool {
    let system = environment["XDG_DATA_DIRS"] ?? "/usr/local/share:/usr/share"
    let directories = (dataHome.map { [$0] } ?? []) + system.split(separator: ":").map(String.init)
    return directories.contains { directory in
      Self.entries(in: directory + "/applications").contains { Self.handles(scheme, $0) }
    }
  }

  private var dataHome: String? {
    environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.local/share" : nil }
  }

  private var program: String? {
    (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/tokenvault" }
      .first { path in
        var status = stat()
        return unsafe path.hasPrefix("/") && stat(path, &status) == 0
          && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
      }
  }

  /// The paths of the desktop entries in a directory.
  private static func entries(in directory: String) -> [String] {
    guard let stream = unsafe opendir(directory) else { return [] }
    defer { unsafe closedir(stream) }
    var paths: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(".desktop") { paths.append("\(directory)/\(name)") }
    }
    return paths
  }

  private static func handles(_ scheme: String, _ path: String) -> Bool {
    let bytes: [UInt8]?
    do throws(SystemCallError) {
      let descriptor = try SystemCalls.open(path, O_RDONLY | O_NONBLOCK)
      defer { close(descriptor) }
      bytes = try SystemCalls.readAll(descriptor, limit: 1 << 20)
      // absent is an answer: the desktop cannot read such an entry either.
    } catch { return false }
    return String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n").contains { line in
      line.hasPrefix("MimeType=")
        && line.dropFirst("MimeType=".count).split(separator: ";")
          .contains { $0 == "x-scheme-handler/\(scheme)" }
    }
  }
}
