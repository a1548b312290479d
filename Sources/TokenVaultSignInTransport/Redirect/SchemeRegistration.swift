import Glibc
package import TokenVaultSystem

/// Registers a program with the desktop as the user's default for the URLs of a private-use scheme
/// (RFC 8252 section 7.1), by a desktop entry.
package struct SchemeRegistration: Sendable {
  /// The path of the desktop entry.
  package let path: String
  private let scheme: String
  private let entry: String
  private let environment: [String: String]
  private let patienceMilliseconds: Int

  /// - Parameters:
  ///   - scheme: the scheme of a ``RedirectURI/scheme(_:rest:)``.
  ///   - arguments: the program's absolute path and its arguments; the URL is added at the end.
  ///   - dataDirectory: the user's data directory (`XDG_DATA_HOME`).
  ///   - environment: the environment of `xdg-mime`.
  ///   - patienceMilliseconds: the time limit for `xdg-mime`.
  package init(
    scheme: String, arguments: [String], dataDirectory: String, environment: [String: String],
    patienceMilliseconds: Int = 3_000
  ) {
    self.scheme = scheme
    self.environment = environment
    self.patienceMilliseconds = patienceMilliseconds
    path = "\(dataDirectory)/applications/tokenvault-\(scheme).desktop"
    entry = """
      [Desktop Entry]
      Type=Application
      Name=TokenVault sign-in (\(scheme))
      Exec=\(arguments.map(Self.quoted).joined(separator: " ")) %u
      Terminal=false
      NoDisplay=true
      MimeType=x-scheme-handler/\(scheme);

      """
  }

  /// Writes the desktop entry and makes it the scheme's default, unless that is done already.
  /// - Returns: whether anything was changed.
  package func install() throws(SystemCallError) -> Bool {
    guard try write() else { return false }
    let name = String(path.split(separator: "/").last ?? "")
    let child = DetachedProgram.start(
      ["xdg-mime", "default", name, "x-scheme-handler/\(scheme)"], environment: environment)
    // If xdg-mime is not installed, or hangs, the desktop finds the entry by its MimeType.
    guard let child else { return true }
    let deadline = Deadline(milliseconds: patienceMilliseconds)
    while !deadline.hasPassed {
      let ended = waitpid(child, nil, WNOHANG)
      if ended == child || (ended == -1 && errno != EINTR) { return true }
      usleep(10_000)
    }
    DetachedProgram.reapLater(child)
    return true
  }

  /// Writes the desktop entry, unless it is there.
  /// - Returns: whether it was written.
  func write() throws(SystemCallError) -> Bool {
    if isInstalled { return false }
    do { try DurableDirectory.make(SystemCalls.directory(of: path)) } catch { throw error.cause }
    try WholeFile.write(Array(entry.utf8), to: path, replacing: true)
    return true
  }

  private var isInstalled: Bool {
    let descriptor: Int32
    // absent is an answer: an entry that cannot be read is written again.
    do { descriptor = try SystemCalls.open(path, O_RDONLY | O_NOFOLLOW) } catch { return false }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: entry.utf8.count + 1)
    let count = unsafe read(descriptor, &bytes, bytes.count)
    return count > 0 && Array(bytes.prefix(count)) == Array(entry.utf8)
  }

  /// The argument that ``quoted(_:)`` wrote.
  static func unquoted(_ text: String) -> String {
    guard text.count > 1, text.hasPrefix("\""), text.hasSuffix("\"") else { return text }
    return String(text.dropFirst().dropLast())
      .replacing(#"\\\\"#, with: "\u{0}").replacing(#"\\"#, with: "")
      .replacing("\u{0}", with: #"\"#).replacing("%%", with: "%")
  }

  /// An argument in an Exec line (Desktop Entry Specification, "The Exec key"): quoted, then
  /// escaped again like every string in the file.
  static func quoted(_ argument: String) -> String {
    let plain = argument.utf8.allSatisfy {
      (0x61...0x7a).contains($0 | 0x20) || (0x30...0x39).contains($0) || "/._-+:".utf8.contains($0)
    }
    if plain { return argument }
    var text = "\""
    for character in argument {
      switch character {
      case "\"", "`", "$": text += "\\\\\(character)"
      case "\\": text += #"\\\\"#
      case "%": text += "%%"
      default: text.append(character)
      }
    }
    return text + "\""
  }
}
