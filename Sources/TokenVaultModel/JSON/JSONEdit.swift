/// Changes single members of a JSON text, and keeps every other byte of it.
///
/// It is for the configuration files of other programs, whose users format them by hand. Removing a
/// member that ``set(_:at:)`` added gives the former bytes again.
package struct JSONEdit: Sendable {
  /// The text as it is now.
  package private(set) var bytes: [UInt8]

  /// Throws unless the text is one JSON object, within the limits of ``JSONValue``.
  package init(_ bytes: [UInt8]) throws(JSONError) {
    guard try JSONValue(parsing: bytes).members != nil else { throw .syntax(at: 0) }
    self.bytes = bytes
  }

  /// The value at a path of names; nil if there is none.
  package func value(at path: [String]) -> JSONValue? {
    guard let member = members(named: path).last else { return nil }
    // absent is an answer: a part of a text that has been parsed can be parsed.
    do { return try JSONValue(parsing: Array(bytes[member.value])) } catch { return nil }
  }

  /// Replaces the value at a path, or adds the last member of the path to the end of its object. An
  /// object that is missing on the way is added, too.
  /// - Returns: False if a part of the path is not an object.
  @discardableResult
  package mutating func set(_ value: JSONValue, at path: [String]) -> Bool {
    let former = bytes
    // A text that another program could not read is never written.
    guard insert(value, at: path), isReadable else {
      bytes = former
      return false
    }
    return true
  }

  private var isReadable: Bool {
    do { return try JSONValue(parsing: bytes).members != nil } catch { return false }
  }

  private mutating func insert(_ value: JSONValue, at path: [String]) -> Bool {
    guard let name = path.last else { return false }
    let parent = Array(path.dropLast())
    if !parent.isEmpty, self.value(at: parent) == nil {
      return insert(.object([.init(name, value)]), at: parent)
    }
    if let known = members(named: path).last {
      bytes.replaceSubrange(known.value, with: value.bytes)
      return true
    }
    guard let object = object(at: path.dropLast()) else { return false }
    let member = JSONValue.string(name).bytes + Array(": ".utf8) + value.bytes
    guard let last = object.members.last else {
      bytes.insert(contentsOf: member, at: object.open + 1)
      return true
    }
    let start = bytes[..<last.name.lowerBound].lastIndex { !Self.isSpace($0) }
    let space = start.map { bytes[($0 + 1)..<last.name.lowerBound] } ?? []
    bytes.insert(
      contentsOf: [UInt8(ascii: ",")] + space + member, at: last.value.upperBound)
    return true
  }

  /// Removes every member with the path's last name from its object.
  /// - Returns: Whether there was one.
  @discardableResult
  package mutating func remove(at path: [String]) -> Bool {
    var isRemoved = false
    while let name = path.last, let object = object(at: path.dropLast()),
      let index = object.members.lastIndex(where: { self.name($0) == name })
    {
      let member = object.members[index]
      if index > 0 {
        // With the comma and the space in front.
        bytes.removeSubrange(object.members[index - 1].value.upperBound..<member.value.upperBound)
      } else if object.members.count > 1 {
        bytes.removeSubrange(member.name.lowerBound..<object.members[1].name.lowerBound)
      } else {
        bytes.removeSubrange(member.name.lowerBound..<member.value.upperBound)
      }
      isRemoved = true
    }
    return isRemoved
  }

  // MARK: Places

  private struct Member {
    let name: Range<Int>
    let value: Range<Int>
  }

  private struct Object {
    let open: Int
    var members: [Member] = []
  }

  private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0a, 0x0d].contains(byte) }

  private func name(_ member: Member) -> String? {
    // absent is an answer: as in `value(at:)`.
    do { return try JSONValue(parsing: Array(bytes[member.name])).text } catch { return nil }
  }

  private func members(named path: [String]) -> [Member] {
    guard let name = path.last, let object = object(at: path.dropLast()) else { return [] }
    return object.members.filter { self.name($0) == name }
  }

  /// Of several members with one name, the last counts, as in ``JSONValue``.
  private func object(at path: ArraySlice<String>) -> Object? {
    var start = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
    start = skippingSpace(start)
    var object = parsedObject(start)
    for name in path {
      guard let value = object?.members.last(where: { self.name($0) == name })?.value else {
        return nil
      }
      object = parsedObject(value.lowerBound)
    }
    return object
  }

  private func parsedObject(_ start: Int) -> Object? {
    guard bytes[start] == UInt8(ascii: "{") else { return nil }
    var object = Object(open: start)
    var at = skippingSpace(start + 1)
    while bytes[at] != UInt8(ascii: "}") {
      let name = at..<end(ofValue: at)
      // The colon and the space around it.
      at = skippingSpace(skippingSpace(name.upperBound) + 1)
      let value = at..<end(ofValue: at)
      object.members.append(Member(name: name, value: value))
      at = skippingSpace(value.upperBound)
      if bytes[at] == UInt8(ascii: ",") { at = skippingSpace(at + 1) }
    }
    return object
  }

  private func skippingSpace(_ start: Int) -> Int {
    bytes[start...].firstIndex { !Self.isSpace($0) } ?? bytes.count
  }

  /// The end of the value that begins here. The text has been parsed, so brackets are balanced.
  private func end(ofValue start: Int) -> Int {
    var (at, depth) = (start, 0)
    while at < bytes.count {
      switch bytes[at] {
      case UInt8(ascii: "\""): at = end(ofString: at)
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        at += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return at }
        depth -= 1
        at += 1
      case UInt8(ascii: ","), UInt8(ascii: ":"):
        if depth == 0 { return at }
        at += 1
      case let byte where Self.isSpace(byte) && depth == 0: return at
      default: at += 1
      }
      let last = bytes[at - 1]
      if depth == 0, [UInt8(ascii: "\""), UInt8(ascii: "}"), UInt8(ascii: "]")].contains(last) {
        return at
      }
    }
    return at
  }

  private func end(ofString start: Int) -> Int {
    var at = start + 1
    while bytes[at] != UInt8(ascii: "\"") { at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1 }
    return at + 1
  }
}
