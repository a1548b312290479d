/// Turns the bytes from a terminal into keys. An unknown sequence is dropped as a whole, so that its
/// end is not taken for letters.
struct KeyParser {
  private var bytes: [UInt8] = []
  private var isPasting = false

  /// Whether an incomplete key is pending; a single Esc counts as incomplete.
  var isWaiting: Bool { !bytes.isEmpty }

  mutating func take(_ more: [UInt8]) -> [Key] {
    bytes += more
    var keys: [Key] = []
    while let (length, key) = next() {
      bytes.removeFirst(length)
      if let key { keys.append(key) }
    }
    return keys
  }

  /// Ends an incomplete key after a pause: a single Esc is the Esc key.
  mutating func flush() -> [Key] {
    let isEscape = bytes.first == 0x1b
    let rest = bytes.dropFirst()
    bytes = []
    return isEscape ? [.escape] + (rest.isEmpty ? [] : take(Array(rest))) : []
  }

  /// The next key and its length in bytes; nil if bytes are missing.
  private mutating func next() -> (Int, Key?)? {
    guard let first = bytes.first else { return nil }
    switch first {
    case 0x1b: return sequence()
    case 0x03: return (1, .interrupt)
    case 0x09: return (1, isPasting ? .pasted(" ") : .tab)
    case 0x0a, 0x0d: return (1, isPasting ? .pasted("\n") : .enter)
    case 0x08, 0x7f: return (1, .erase)
    case 0x0c: return (1, .redraw)
    case 0x15: return (1, .eraseLine)
    case 0x1a: return (1, .suspend)
    case 0x01: return (1, .home)
    case 0x05: return (1, .end)
    case ..<0x20: return (1, nil)
    default: return character(first)
    }
  }

  private func character(_ first: UInt8) -> (Int, Key?)? {
    let length =
      switch first {
      case ..<0x80: 1
      case 0xc2...0xdf: 2
      case 0xe0...0xef: 3
      case 0xf0...0xf4: 4
      default: 0
      }
    guard length > 0 else { return (1, nil) }
    guard bytes.count >= length else { return nil }
    let text = String(validating: bytes[..<length], as: UTF8.self)
    guard let scalar = text?.unicodeScalars.first else { return (1, nil) }
    return (length, isPasting ? .pasted(scalar) : .character(scalar))
  }

  private mutating func sequence() -> (Int, Key?)? {
    guard bytes.count > 1 else { return nil }
    switch bytes[1] {
    case UInt8(ascii: "O"):
      guard bytes.count > 2 else { return nil }
      return (3, Self.named("", bytes[2]))
    case UInt8(ascii: "["):
      guard let end = bytes.dropFirst(2).firstIndex(where: { (0x40...0x7e).contains($0) }) else {
        return bytes.count > 32 ? (bytes.count, nil) : nil
      }
      let parameters = String(decoding: bytes[2..<end], as: UTF8.self)
      if bytes[end] == UInt8(ascii: "~"), parameters == "200" || parameters == "201" {
        isPasting = parameters == "200"
        return (end + 1, nil)
      }
      return (end + 1, Self.named(parameters, bytes[end]))
    default: return (1, .escape)
    }
  }

  private static func named(_ parameters: String, _ end: UInt8) -> Key? {
    switch (parameters, end) {
    case (_, UInt8(ascii: "A")): .up
    case (_, UInt8(ascii: "B")): .down
    case (_, UInt8(ascii: "C")): .right
    case (_, UInt8(ascii: "D")): .left
    case (_, UInt8(ascii: "H")), ("1", UInt8(ascii: "~")), ("7", UInt8(ascii: "~")): .home
    case (_, UInt8(ascii: "F")), ("4", UInt8(ascii: "~")), ("8", UInt8(ascii: "~")): .end
    case (_, UInt8(ascii: "Z")): .backTab
    case ("", UInt8(ascii: "M")): .enter
    case ("3", UInt8(ascii: "~")): .delete
    case ("5", UInt8(ascii: "~")): .pageUp
    case ("6", UInt8(ascii: "~")): .pageDown
    default: nil
    }
  }
}
