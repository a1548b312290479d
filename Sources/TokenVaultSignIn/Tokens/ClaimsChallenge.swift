import TokenVaultCrypto

/// An API's demand for claims in the next token (continuous access evaluation and conditional
/// access of Microsoft Entra; `WWW-Authenticate: Bearer error="insufficient_claims", claims="…"`).
package enum ClaimsChallenge {
  /// The claims that a response demands; nil if it demands none, or in an ambiguous form.
  package static func claims(in response: HTTPResponse) -> ClaimsRequest? {
    guard response.status == 401 else { return nil }
    let fields = response.headers.filter { $0.name.lowercased() == "www-authenticate" }
    for challenge in fields.flatMap({ challenges($0.value) }) where challenge.scheme == "bearer" {
      guard challenge.value("error") == "insufficient_claims",
        let text = challenge.value("claims"), let json = decoded(text)
      else { continue }
      // absent is an answer: a malformed claims request cannot be satisfied.
      do { return try ClaimsRequest(json: json) } catch { continue }
    }
    return nil
  }

  /// The authentication schemes that a response demands, in lower case.
  package static func schemes(in response: HTTPResponse) -> Set<String> {
    guard response.status == 401 else { return [] }
    let fields = response.headers.filter { $0.name.lowercased() == "www-authenticate" }
    return Set(fields.flatMap { challenges($0.value) }.map(\.scheme))
  }

  /// Base64 in either alphabet, with or without padding.
  private static func decoded(_ text: String) -> String? {
    let url = text.prefix { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
    guard text.dropFirst(url.count).allSatisfy({ $0 == "=" }) else { return nil }
    return Base64URL.decode(String(url)).flatMap { String(validating: $0, as: UTF8.self) }
  }

  private struct Challenge {
    let scheme: String
    var parameters: [(name: String, value: String)] = []

    /// The value of a parameter that occurs exactly once.
    func value(_ name: String) -> String? {
      let found = parameters.filter { $0.name == name }
      return found.count == 1 ? found[0].value : nil
    }
  }

  /// The challenges of one field (RFC 9110 section 11.6.1).
  private static func challenges(_ field: String) -> [Challenge] {
    var found: [Challenge] = []
    for item in items(field) {
      let equals = item.firstIndex(of: "=") ?? item.endIndex
      var name = item[..<equals]
      while name.last == " " { name.removeLast() }
      if let space = name.firstIndex(of: " ") {
        found.append(Challenge(scheme: name[..<space].lowercased()))
        name = name[space...].drop { $0 == " " }
      } else if equals == item.endIndex {
        found.append(Challenge(scheme: item.lowercased()))
        continue
      }
      guard equals < item.endIndex, let last = found.indices.last else { continue }
      found[last].parameters.append((name.lowercased(), unquoted(item[equals...].dropFirst())))
    }
    return found
  }

  /// The items between commas that are not in quotation marks.
  private static func items(_ field: String) -> [String] {
    var (items, item, isQuoted, isEscaped) = ([String](), "", false, false)
    for character in field {
      if character == ",", !isQuoted {
        items.append(item)
        item = ""
        continue
      }
      if character == "\"", !isEscaped { isQuoted.toggle() }
      isEscaped = isQuoted && character == "\\" && !isEscaped
      item.append(character)
    }
    items.append(item)
    return items.map { String($0.drop { " \t".contains($0) }) }.filter { !$0.isEmpty }
  }

  private static func unquoted(_ text: Substring) -> String {
    var text = text.drop { " \t".contains($0) }
    while let last = text.last, " \t".contains(last) { text.removeLast() }
    guard text.count >= 2, text.first == "\"", text.last == "\"" else { return String(text) }
    var (plain, isEscaped) = ("", false)
    for character in text.dropFirst().dropLast() {
      if character == "\\", !isEscaped {
        isEscaped = true
        continue
      }
      plain.append(character)
      isEscaped = false
    }
    return plain
  }
}
