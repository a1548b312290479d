package import TokenVaultModel

/// The account that a request is about. The command line alone makes one from text.
package enum AccountReference: Hashable, Sendable {
  /// An account that the group returned before. It is found by its tag, without a look at any other.
  case known(Account)
  /// A user name, an alias, a home account id or a unique prefix of one.
  case named(String)
  /// A name in one environment. `text` is what the user typed, which may be a name by itself.
  case qualified(name: String, environment: String, text: String)
  /// The account of the rule for this directory; `account` is its tag.
  case rule(account: [UInt8], directory: String)
  /// The group's current account.
  case current
}

extension AccountReference {
  /// The account that a user names: a user name, an alias, a home account id, a unique prefix of
  /// one, or one of these but a prefix with its environment, as `ID//ENVIRONMENT`.
  /// Only the command line calls this; everything else passes references on.
  package init(parsing text: String) {
    let bytes = text.utf8
    let slash = UInt8(ascii: "/")
    // No host has a slash, so the last two of them separate.
    guard let last = bytes.lastIndex(of: slash), last > bytes.startIndex,
      bytes[bytes.index(before: last)] == slash
    else {
      self = .named(text)
      return
    }
    self = .qualified(
      name: String(text[..<bytes.index(before: last)]),
      environment: String(text[bytes.index(after: last)...]), text: text)
  }
}

extension Account {
  /// The text that means this account and no other of its group: `ID//ENVIRONMENT`, where ID is the
  /// home account id, or the client of tokens that came without an account. For people, not for
  /// programs: a program keeps the ``Account``.
  public var selector: String {
    (identifier.isEmpty ? identity.orphanClient : identifier) + "//" + environment
  }
}
