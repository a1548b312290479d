import TokenVaultCrypto

/// An entry of `pass`: its name, and the text that it decrypts to.
struct PassEntry {
  let name: String
  let text: [UInt8]

  /// The directory of docker-credential-pass.
  private static let docker = "docker-credential-helpers/"

  /// The password, with the address and the user name as pass-git-helper, docker-credential-pass and
  /// browserpass note them: lines behind the password, or parts of the name.
  var content: StoreItem.Content {
    if isOfDocker { return dockerContent }
    if let address = field(Self.addressNames)?.value {
      return .password(address: address, username: username(behind: host), secret: password)
    }
    let parts = name.split(separator: "/").map(String.init)
    let hosts = self.hosts
    let before = parts.prefix(hosts.first ?? 0)
    if let other = before.first(where: { Self.otherServices.contains($0.lowercased()) }) {
      return .unusable("its name is that of a password for \(other)")
    }
    guard hosts.count <= 1 else { return .unusable("its name has two hosts") }
    return .password(
      address: hosts.first.map { parts[$0] } ?? "", username: username(behind: hosts.first),
      secret: password)
  }

  /// The user name in a line; otherwise the last part of the name, if it stands behind the host.
  private func username(behind host: Int?) -> String? {
    if let line = field(Self.usernameNames) { return line.value }
    let parts = name.split(separator: "/")
    return host.flatMap { $0 == parts.count - 1 ? nil : parts.last.map(String.init) }
  }

  /// The part of the name that is a host; nil if it has none or several.
  private var host: Int? { hosts.count == 1 ? hosts[0] : nil }

  /// The parts of the name that look like hosts. Without a line for the user name, the last part is
  /// that name, which may have dots, if a part before it is a host.
  private var hosts: [Int] {
    let parts = name.split(separator: "/").map(String.init)
    let all = parts.indices.filter { Self.isHost(parts[$0]) }
    let inner = all.filter { $0 < parts.count - 1 }
    return inner.isEmpty || field(Self.usernameNames) != nil ? all : inner
  }

  private var isOfDocker: Bool { name.hasPrefix(Self.docker) }

  /// docker-credential-pass reads the whole text, without the line ends behind it.
  private var dockerContent: StoreItem.Content {
    let parts = name.split(separator: "/").map(String.init)
    guard parts.count == 3,
      let address = Base64URL.decode(String(parts[1].prefix { $0 != "=" }))
    else { return .unusable("its name is not one of docker-credential-pass") }
    var secret = text
    while let last = secret.last, "\r\n".utf8.contains(last) { secret.removeLast() }
    return .password(
      address: String(decoding: address, as: UTF8.self), username: parts[2], secret: secret
    ) { $0.tool = "docker" }
  }

  /// The parts of the entry that an import leaves out, in words; nil if it has only the password and
  /// at most one line each for the address and the user name.
  var rest: String? {
    if isOfDocker { return nil }
    let (address, username) = (field(Self.addressNames), field(Self.usernameNames))
    let used = [address?.line, username?.line]
    let others = lines.indices.dropFirst().filter { !lines[$0].isEmpty && !used.contains($0) }
    var parts = others.isEmpty ? [] : [others.count.counted("other line")]
    if let address, address.value.contains(where: { $0 == "?" || $0 == "#" }) {
      parts.append("the query of its address")
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  private static let addressNames = ["url", "uri", "website", "site", "link", "launch"]
  private static let usernameNames = ["login", "username", "user"]
  /// Names of entries and directories that are usually not passwords of a web service.
  private static let otherServices: Set<String> = [
    "ssh", "sftp", "ftp", "smtp", "imap", "pop3", "ldap", "vnc", "rdp", "wifi", "keys", "gpg",
    "pgp",
    "mysql", "postgres", "postgresql", "databases",
  ]

  fileprivate var password: [UInt8] {
    var line = Array(text.prefix { $0 != UInt8(ascii: "\n") })
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return line
  }

  private var lines: [String] {
    text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
      String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
    }
  }

  /// The first line with one of these names, and its value.
  private func field(_ names: [String]) -> (line: Int, value: String)? {
    let lines = self.lines
    for name in names {
      for index in lines.indices.dropFirst() {
        if let value = Self.value(of: name, in: lines[index]) { return (index, value) }
      }
    }
    return nil
  }

  private static func value(of name: String, in line: String) -> String? {
    guard line.lowercased().hasPrefix(name + ":") else { return nil }
    var value = line.dropFirst(name.utf8.count + 1).drop { $0 == " " || $0 == "\t" }
    while value.last == " " || value.last == "\t" { value.removeLast() }
    return value.isEmpty ? nil : String(value)
  }

  /// The ends of file names, none of which is a top-level domain.
  private static let fileTypes: Set<String> = [
    "asc", "cer", "cfg", "conf", "crt", "csv", "env", "gpg", "ini", "json", "kdbx", "key", "p12",
    "pdf",
    "pem", "pfx", "txt", "xml", "yaml", "yml",
  ]

  /// Whether a part of a name is a host: letters, digits and hyphens in parts joined by dots, perhaps
  /// with a port.
  private static func isHost(_ part: String) -> Bool {
    let labels = part.prefix { $0 != ":" }.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count > 1 || part.hasPrefix("localhost"),
      !fileTypes.contains(labels.last?.lowercased() ?? "")
    else { return false }
    return labels.allSatisfy { label in
      !label.isEmpty
        && label.utf8.allSatisfy { byte in
          switch byte {
          case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
          default: false
          }
        }
    }
  }
}

extension PassEntry {
  /// Whether the first line is this password.
  func isPassword(_ secret: [UInt8]) -> Bool { ConstantTime.equal(password, secret) }

  /// Whether the entry is the one of an address and a user name.
  func isPlace(of other: StoredPassword) -> Bool {
    guard case .secret(let own) = content else { return false }
    return own.service == other.service && own.username == other.username
  }

  /// The text with another password, and all other lines as they were.
  func text(with secret: [UInt8]) -> [UInt8] {
    secret + text.drop { $0 != UInt8(ascii: "\n") }
  }
}
