/// The words of .netrc: `machine HOST login NAME password SECRET`, on one line or several.
enum Netrc {
  private struct Word {
    let text: String?
    let range: Range<Int>
  }

  private struct Entry {
    let start: Int
    var end: Int
    let host: String?
    var login: String?
    var password: String?
    var hasPassword = false
    var obstacle: String?
  }

  /// The whole entry of a machine is taken out.
  static func secrets(_ bytes: [UInt8]) -> [PlaintextSecret] {
    let entries = entries(bytes).filter(\.hasPassword)
    // Without its machine, curl and git send a host the password of this entry.
    let hasDefault = entries.contains { $0.host == nil }
    var (line, at) = (1, 0)
    return entries.map { entry in
      line += bytes[at..<entry.start].count { $0 == 0x0a }
      at = entry.start
      let range = whole(entry.start..<entry.end, bytes)
      let place = entry.host.map { "machine \($0)" } ?? "default"
      let isAnswered = entry.host != nil && hasDefault
      let obstacle =
        entry.obstacle ?? (isAnswered ? "the default entry would answer for its host" : nil)
      let cut = obstacle.map { Cut.kept($0) } ?? .bytes(range)
      var secret = PlaintextSecret(.password, at: "\(place), line \(line)", cuts: [cut])
      secret.username = entry.login
      secret.service = entry.host.map { "https://\($0)" }
      secret.hold(entry.password)
      return secret
    }
  }

  private static func entries(_ bytes: [UInt8]) -> [Entry] {
    let words = words(bytes)
    var entries: [Entry] = []
    var index = 0
    func next() -> Word? {
      guard index < words.count else { return nil }
      defer { index += 1 }
      return words[index]
    }
    while let word = next() {
      switch word.text {
      case "machine":
        let host = next()
        entries.append(
          Entry(
            start: word.range.lowerBound, end: host?.range.upperBound ?? word.range.upperBound,
            host: host?.text ?? ""))
      case "default":
        entries.append(Entry(start: word.range.lowerBound, end: word.range.upperBound, host: nil))
      case "login", "user", "account", "password":
        guard let value = next(), !entries.isEmpty else { continue }
        let last = entries.count - 1
        entries[last].end = value.range.upperBound
        if word.text == "login" || word.text == "user" { entries[last].login = value.text }
        guard word.text == "password" else { continue }
        if entries[last].hasPassword { entries[last].obstacle = "it has several passwords" }
        entries[last].password = value.text
        entries[last].hasPassword = true
        if value.text == nil { entries[last].obstacle = "its password is not UTF-8, or not closed" }
      case "macdef":
        if !entries.isEmpty { entries[entries.count - 1].obstacle = "it has a macro" }
      default:
        if !entries.isEmpty {
          entries[entries.count - 1].obstacle = "it has a word that is not understood"
        }
      }
    }
    return entries
  }

  /// With the lines that have nothing else.
  private static func whole(_ range: Range<Int>, _ bytes: [UInt8]) -> Range<Int> {
    let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0d }
    var start = range.lowerBound
    while start > 0, isBlank(bytes[start - 1]) { start -= 1 }
    var end = range.upperBound
    while end < bytes.count, isBlank(bytes[end]) { end += 1 }
    let beginsLine = start == 0 || bytes[start - 1] == 0x0a
    guard beginsLine, end == bytes.count || bytes[end] == 0x0a else { return range }
    return start..<min(end + 1, bytes.count)
  }

  /// Comments are left out, and a macro up to its empty line.
  private static func words(_ bytes: [UInt8]) -> [Word] {
    var words: [Word] = []
    var at = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
    var isValue = false
    let isSpace = { (byte: UInt8) in [0x20, 0x09, 0x0a, 0x0d].contains(byte) }
    while at < bytes.count {
      if isSpace(bytes[at]) {
        at += 1
        continue
      }
      if bytes[at] == UInt8(ascii: "#"), !isValue {
        at = bytes[at...].firstIndex(of: 0x0a) ?? bytes.count
        continue
      }
      let start = at
      let word: Word
      if bytes[at] == UInt8(ascii: "\"") {
        word = quoted(&at, bytes)
      } else {
        at = bytes[at...].firstIndex(where: isSpace) ?? bytes.count
        let text = String(validating: bytes[start..<at], as: UTF8.self)
        word = Word(
          text: text?.contains("\\") == true || text?.contains("\"") == true ? nil : text,
          range: start..<at)
      }
      words.append(word)
      if word.text == "macdef", !isValue {
        at = endOfMacro(at, bytes)
        continue
      }
      isValue =
        !isValue && ["machine", "login", "user", "account", "password"].contains(word.text ?? "")
    }
    return words
  }

  private static func quoted(_ at: inout Int, _ bytes: [UInt8]) -> Word {
    let start = at
    let end = bytes[(at + 1)...].firstIndex { $0 == UInt8(ascii: "\"") || $0 == 0x0a }
    guard let end, bytes[end] == UInt8(ascii: "\"") else {
      at = end ?? bytes.count
      return Word(text: nil, range: start..<at)
    }
    at = end + 1
    // Programs read a backslash, and text that touches the quotes, in different ways.
    let isAlone = at == bytes.count || [0x20, 0x09, 0x0a, 0x0d].contains(bytes[at])
    let inner = bytes[(start + 1)..<end]
    let text = String(validating: inner, as: UTF8.self)
    return Word(
      text: inner.contains(UInt8(ascii: "\\")) || !isAlone ? nil : text, range: start..<at)
  }

  private static func endOfMacro(_ start: Int, _ bytes: [UInt8]) -> Int {
    var at = start
    while let feed = bytes[at...].firstIndex(of: 0x0a) {
      at = feed + 1
      if bytes[at...].starts(with: [0x0a]) || bytes[at...].starts(with: [0x0d, 0x0a]) { return at }
    }
    return bytes.count
  }
}
