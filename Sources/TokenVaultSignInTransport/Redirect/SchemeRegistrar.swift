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

  /// A desktop entry that tokenvault wrote for this user.
  package struct OwnEntry: Sendable {
    package let scheme: String
    package let path: String
    /// Whether the program that it starts exists.
    package let works: Bool
  }

  /// The desktop entries of this user that ``require(_:)`` wrote.
  package func ownEntries() -> [OwnEntry] {
    guard let directory = dataHome.map({ $0 + "/applications" }) else { return [] }
    let start = "\(directory)/tokenvault-"
    return Self.entries(in: directory).filter { $0.hasPrefix(start) }.sorted().compactMap { path in
      guard let program = Self.program(in: path) else { return nil }
      return OwnEntry(
        scheme: String(path.dropFirst(start.count).dropLast(".desktop".count)), path: path,
        works: Self.isProgram(program))
    }
  }

  /// Writes the entry of a scheme again, for the `tokenvault` in PATH. The user's default for the scheme
  /// stays, which may be another program.
  /// - Returns: Whether it was written.
  package func renew(_ scheme: String) -> Bool {
    guard let home = dataHome, let program else { return false }
    let registration = SchemeRegistration(
      scheme: scheme, arguments: [program, "redirect"], dataDirectory: home,
      environment: environment)
    // absent is an answer: the entry is still reported as one that does not work.
    do { return try registration.write() } catch { return false }
  }

  /// The program of an entry that tokenvault wrote; nil for any other entry, and for one that a user has
  /// given another command.
  private static func program(in path: String) -> String? {
    guard let lines = lines(of: path),
      lines.contains(where: { $0.hasPrefix("Name=TokenVault sign-in") })
    else { return nil }
    let command = lines.first { $0.hasPrefix("Exec=") && $0.hasSuffix(" redirect %u") }
      .map { String($0.dropFirst(5).dropLast(12)) }
    guard let command else { return nil }
    let program = SchemeRegistration.unquoted(command)
    return program.hasPrefix("/") && SchemeRegistration.quoted(program) == command ? program : nil
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
      .first(where: Self.isProgram)
  }

  private static func isProgram(_ path: String) -> Bool {
    var status = stat()
    return unsafe path.hasPrefix("/") && stat(path, &status) == 0
      && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
  }

  /// The paths of the desktop entries in a directory.
  private static func entries(in directory: String) -> [String] {
    // absent is an answer: the desktop finds no entry in such a directory either.
    do throws(SystemCallError) {
      return try SystemCalls.names(in: directory).filter { $0.hasSuffix(".desktop") }
        .map { "\(directory)/\($0)" }
    } catch { return [] }
  }

  private static func handles(_ scheme: String, _ path: String) -> Bool {
    (lines(of: path) ?? []).contains { line in
      line.hasPrefix("MimeType=")
        && line.dropFirst("MimeType=".count).split(separator: ";")
          .contains { $0 == "x-scheme-handler/\(scheme)" }
    }
  }

  /// Nil if the entry cannot be read.
  private static func lines(of path: String) -> [Substring]? {
    let bytes: [UInt8]?
    do throws(SystemCallError) {
      let descriptor = try SystemCalls.open(path, O_RDONLY | O_NONBLOCK)
      defer { close(descriptor) }
      bytes = try SystemCalls.readAll(descriptor, limit: 1 << 20)
      // absent is an answer: the desktop cannot read such an entry either.
    } catch { return nil }
    return String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n")
  }
}
