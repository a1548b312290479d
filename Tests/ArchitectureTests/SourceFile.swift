/// A file of the checkout, as the rules read it.
struct SourceFile {
  var path: String
  var text: String

  /// The name of the target's directory: the second part of the path.
  var module: String {
    let parts = path.split(separator: "/")
    return parts.count > 1 ? String(parts[1]) : ""
  }

  /// Lines with their numbers, from 1.
  var lines: [(number: Int, text: Substring)] {
    text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .map { ($0.offset + 1, $0.element) }
  }

  /// The lines without comments and without string literals, so that a rule applies to code only.
  var code: [(number: Int, text: String)] {
    var insideText = false
    return lines.map { line in
      let fences = line.text.components(separatedBy: "\"\"\"").count - 1
      defer { if fences % 2 == 1 { insideText.toggle() } }
      if insideText || fences > 0 { return (line.number, "") }
      return (line.number, withoutLiteralsAndComment(line.text))
    }
  }
}

private func withoutLiteralsAndComment(_ line: Substring) -> String {
  var kept = ""
  var isLiteral = false
  var isEscaped = false
  for character in line {
    if isLiteral {
      if isEscaped {
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if character == "\"" {
        isLiteral = false
      }
    } else if character == "\"" {
      isLiteral = true
    } else if character == "/", kept.hasSuffix("/") {
      kept.removeLast()
      break
    } else {
      kept.append(character)
    }
  }
  return kept
}
