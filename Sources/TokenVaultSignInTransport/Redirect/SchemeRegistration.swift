import Glibc
public import TokenVaultSystem

/// Makes the desktop open the URLs of a private-use scheme with this program (RFC 8252 section 7.1):
/// a desktop entry of the user's, and its choice as the scheme's default.
public struct SchemeRegistration: Sendable {
  /// The desktop entry's file.
  public let path: String
  private let scheme: String
  private let entry: String
  private let environment: [String: String]

  /// - Parameters:
  ///   - scheme: the scheme of a ``RedirectURI/scheme(_:rest:)``.
  ///   - arguments: the program by its absolute path and what it is called with; the URL comes last.
  ///   - dataDirectory: the user's (`XDG_DATA_HOME`).
  ///   - environment: for `xdg-mime`.
  public init(
    scheme: String, arguments: [String], dataDirectory: String, environment: [String: String]
  ) {
    self.scheme = scheme
    self.environment = environment
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

  /// Writes the entry and makes it the scheme's default, where that is not done yet.
  /// - Returns: whether there was anything to do.
  public func install() throws(SystemCallError) -> Bool {
    if isInstalled { return false }
    try makeDirectories()
    try WholeFile.write(Array(entry.utf8), to: path, replacing: true)
    let name = String(path.split(separator: "/").last ?? "")
    let child = DetachedProgram.start(
      ["xdg-mime", "default", name, "x-scheme-handler/\(scheme)"], environment: environment)
    // Where xdg-mime is not installed, the desktop finds the entry by its MimeType.
    if let child { while waitpid(child, nil, 0) == -1, errno == EINTR { continue } }
    return true
  }

  private var isInstalled: Bool {
    let descriptor: Int32
    // absent is an answer: what cannot be read is written anew.
    do { descriptor = try SystemCalls.open(path, O_RDONLY | O_NOFOLLOW) } catch { return false }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: entry.utf8.count + 1)
    let count = unsafe read(descriptor, &bytes, bytes.count)
    return count > 0 && Array(bytes.prefix(count)) == Array(entry.utf8)
  }

  private func makeDirectories() throws(SystemCallError) {
    var made = ""
    for part in path.split(separator: "/").dropLast() {
      made += "/\(part)"
      guard unsafe mkdir(made, 0o700) == 0 || errno == EEXIST else {
        throw SystemCallError(errno: errno, call: "mkdir")
      }
    }
  }

  /// An argument of an Exec line (Desktop Entry Specification, "The Exec key"): quoted, then
  /// escaped once more as every string of the file is.
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
