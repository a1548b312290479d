package import TokenVaultModel

/// Identifies the account of a request. Only the command line makes a reference from text.
package enum AccountReference: Hashable, Sendable {
  /// An account that the group returned before. It is found by its tag, without reading any other
  /// account.
  case known(Account)
  /// A user name, an alias, a home account id, the part of a user name before the @, or a unique
  /// prefix of one of these with at least three characters.
  case named(String)
  /// The same, but no prefix.
  case whole(String)
  /// A name in one environment. `text` is the user's input, which may itself be a name.
  case qualified(name: String, environment: String, text: String)
  /// The secret of a service.
  case secret(ServiceReference)
  /// The account of a directory's rule, one of the rules in the second value.
  case rule(AccountRule, AccountRules)
  /// The group's current account.
  case current
}

extension AccountReference {
  /// Parses a user's input: a name as in ``named(_:)``. Each of them except a prefix may be qualified by its environment, as in `ID//ENVIRONMENT`, or
  /// by its issuer, as in `ID//https://HOST/PATH`.
  /// Only the command line calls this initialiser; all other code passes references on.
  /// - Parameter allowsPrefix: false where the account is erased.
  package init(parsing text: String, allowsPrefix: Bool = true) {
    let bytes = text.utf8
    let slash = UInt8(ascii: "/")
    // A host name contains no slash, so the last two slashes are the separator.
    guard let last = bytes.lastIndex(of: slash), last > bytes.startIndex,
      bytes[bytes.index(before: last)] == slash
    else {
      self = allowsPrefix ? .named(text) : .whole(text)
      return
    }
    self = .qualified(
      name: String(text[..<bytes.index(before: last)]),
      environment: String(text[bytes.index(after: last)...]), text: text)
  }
}

extension Account {
  /// The text that identifies this account among all of its group: `ID//ENVIRONMENT`, where ID is
  /// the home account id, or the client of tokens that were imported without an account. At an
  /// OpenID Connect provider other than Microsoft it is `ID//ISSUER`, because two issuers at one
  /// host may use the same id. It is meant for users. A program keeps the ``Account`` itself.
  public var selector: String {
    (identifier.isEmpty ? identity.orphanClient : identifier) + "//"
      + (issuer.isEmpty ? environment : issuer)
  }
}
