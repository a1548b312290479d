import TokenVaultModel

/// The user name and the password in a URL (RFC 3986 section 3.2.1).
struct UserInformation {
  let scheme: String
  /// Nil if it is the token itself.
  let username: String?
  let password: String
  /// The host, with its port if there is one.
  let host: String
  /// The path after the host, up to a query.
  let path: String
  /// Whether the token stands in the place of the user name.
  let isToken: Bool
  /// The places of the password with its colon, in the text.
  let passwordRange: Range<Int>

  /// Nil if there is no password, unless the user name looks like a token.
  ///
  /// A name with the password `x-oauth-basic`, or without one, is a token at several hosts. There it
  /// may be shorter than where a name is to be expected.
  init?(_ text: ArraySlice<UInt8>) {
    let bytes = Array(text)
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
      bytes[colon...].starts(with: "://".utf8)
    else { return nil }
    let start = colon + 3
    let end = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.count
    guard let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")),
      let username = Self.decoded(bytes[start..<at].prefix { $0 != UInt8(ascii: ":") }),
      let host = String(validating: bytes[(at + 1)..<end], as: UTF8.self),
      let scheme = String(validating: bytes[..<colon], as: UTF8.self),
      let path = String(
        validating: bytes[end...].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") },
        as: UTF8.self)
    else { return nil }
    let separator = bytes[start..<at].firstIndex(of: UInt8(ascii: ":")) ?? at
    guard let password = Self.decoded(bytes[min(separator + 1, at)..<at]) else { return nil }
    let isAlone = password.isEmpty && Self.isProbablyToken(username)
    guard !password.isEmpty || isAlone else { return nil }
    self.scheme = scheme.lowercased()
    isToken =
      isAlone || password == "x-oauth-basic" || PlaintextSecret.looksLikeToken(username)
    self.username = isToken ? nil : username
    self.password = password
    self.host = host
    self.path = path
    passwordRange = (text.startIndex + separator)..<(text.startIndex + at)
  }

  private static func isProbablyToken(_ name: String) -> Bool {
    if PlaintextSecret.looksLikeToken(name) { return true }
    return name.utf8.count >= 20 && name.contains(where: \.isNumber)
      && name.contains(where: \.isLetter) && !name.contains { ".@ ".contains($0) }
      && !GUID.isValid(name.utf8)
  }

  /// A finding that the user has to take out.
  func secret(at place: String) -> PlaintextSecret {
    var secret = PlaintextSecret(
      isToken ? .token : .password, at: place, cuts: [.kept(SecretName.obstacle)])
    secret.username = username
    secret.service = "\(scheme)://\(host)"
    return secret
  }

  /// The addresses in a line, each from `http://` or `https://` to a space or the next address.
  static func addresses(in line: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var starts: [Int] = []
    for index in line.indices where line[index] == UInt8(ascii: "h") {
      let rest = line[index...]
      if rest.starts(with: "http://".utf8) || rest.starts(with: "https://".utf8) {
        starts.append(index)
      }
    }
    return starts.indices.map { number in
      let end = number + 1 < starts.count ? starts[number + 1] : line.endIndex
      let rest = line[starts[number]..<end]
      var word = rest.prefix { $0 != 0x20 && $0 != 0x09 }
      while let last = word.last, ",;\"'".utf8.contains(last) { word = word.dropLast() }
      return word
    }
  }

  /// The addresses with a password in a file of lines, with their lines. Comments are left out, and
  /// passwords that are references to variables.
  static func all(_ bytes: [UInt8]) -> [(line: Int, url: UserInformation)] {
    TextLine.all(bytes).flatMap { line -> [(line: Int, url: UserInformation)] in
      let text = bytes[line.content]
      let first = text.first { $0 != 0x20 && $0 != 0x09 }
      if first == UInt8(ascii: "#") || first == UInt8(ascii: ";") { return [] }
      return addresses(in: text).compactMap { word in
        guard let url = UserInformation(word), !url.password.hasPrefix("${") else { return nil }
        return (line.number, url)
      }
    }
  }

  /// The text with its percent-encoding undone; nil if that is not UTF-8.
  static func decoded(_ text: ArraySlice<UInt8>) -> String? {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.first {
      if byte == UInt8(ascii: "%"), rest.count >= 3,
        let value = UInt8(
          String(decoding: rest[(rest.startIndex + 1)...(rest.startIndex + 2)], as: UTF8.self),
          radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
        rest = rest.dropFirst()
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
