import TokenVault
import TokenVaultModel

/// The account and the group in force, in characters that no shell interprets in a prompt.
struct PromptText {
  let text: String

  /// The form that needs no ArgumentParser; nil for any other arguments.
  static func answer(_ arguments: [String]) -> ExitStatus? {
    guard arguments == ["prompt"] else { return nil }
    let text = PromptText(Invocation.ofProcess()).text
    guard !text.isEmpty else { return .done }
    // absent is an answer: a prompt has no place for an error.
    do { try Invocation.ofProcess().answer(text) } catch { return ExitStatus.inputOutput }
    return .done
  }

  init(_ invocation: Invocation) {
    var parts: [String] = []
    // absent is an answer: a prompt shows what is known.
    do {
      let selection = try invocation.select()
      if selection.group != .universalStorage { parts = [selection.group.description] }
      // absent is an answer: of a locked group only the name is known.
      do {
        let vault = try invocation.vaultWithoutPrompt(of: selection.group)
        let account = try invocation.account(of: selection, in: vault)
        parts.insert(account.alias ?? account.shownName, at: 0)
      } catch { text = Self.text(parts); return }
    } catch { text = ""; return }
    text = Self.text(parts)
  }

  private static let most = 48

  /// The parts with a space between them. Characters that some shell, or the terminal, may interpret
  /// become underscores, and so does a space.
  static func text(_ parts: [String]) -> String {
    parts.map { part in
      PlainText.cut(String(String.UnicodeScalarView(part.unicodeScalars.map(plain))), to: most)
    }.joined(separator: " ")
  }

  private static func plain(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    if scalar.isASCII {
      let isWord =
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
        || ("0"..."9").contains(scalar) || "@.+-".unicodeScalars.contains(scalar)
      return isWord ? scalar : "_"
    }
    return scalar.properties.isAlphabetic && PlainText.escaped(String(scalar)) == String(scalar)
      ? scalar : "_"
  }
}
