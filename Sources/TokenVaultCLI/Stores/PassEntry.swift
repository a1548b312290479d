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
    if name.hasPrefix(Self.docker) { return dockerContent }
    let parts = name.split(separator: "/").map(String.init)
    // A line names the address; otherwise the last part that looks like a host.
    let place = parts.lastIndex(where: Self.isHost)
    let address =
      field(["url", "uri", "website", "site", "link", "launch"]) ?? place.map { parts[$0] } ?? ""
    let username =
      field(["login", "username", "user"])
      ?? place.flatMap { $0 == parts.count - 1 ? nil : parts.last }
    return .password(address: address, username: username, secret: password)
  }

  /// The first line of docker-credential-pass is the whole secret.
  private var dockerContent: StoreItem.Content {
    let parts = name.split(separator: "/").map(String.init)
    guard parts.count == 3,
      let address = Base64URL.decode(String(parts[1].prefix { $0 != "=" }))
    else { return .unusable("its name is not one of docker-credential-pass") }
    return .password(
      address: String(decoding: address, as: UTF8.self), username: parts[2], secret: password
    ) { $0.tool = "docker" }
  }

  /// What does not come in; nil if the vault gets everything.
  var rest: String? {
    let others = lines.dropFirst().filter { line in
      !line.isEmpty && Self.known.allSatisfy { Self.value(of: $0, in: line) == nil }
    }
    return others.isEmpty ? nil : "\(others.count.counted("other line"))"
  }

  private static let known = [
    "url", "uri", "website", "site", "link", "launch", "login", "username", "user",
  ]

  fileprivate var password: [UInt8] {
    var line = Array(text.prefix { $0 != UInt8(ascii: "\n") })
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return line
  }

  private var lines: [String] {
    String(decoding: text, as: UTF8.self)
      .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
  }

  /// The value of the first line with one of these names.
  private func field(_ names: [String]) -> String? {
    for name in names {
      for line in lines.dropFirst() {
        if let value = Self.value(of: name, in: line) { return value }
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

  /// Whether a part of a name is a host: letters, digits and hyphens in parts joined by dots, perhaps
  /// with a port.
  private static func isHost(_ part: String) -> Bool {
    let labels = part.prefix { $0 != ":" }.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count > 1 || part.hasPrefix("localhost") else { return false }
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
}
