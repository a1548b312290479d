import TokenVault
import TokenVaultModel

/// Words that many messages have in common. What comes from files, providers and arguments goes
/// through here, so that no terminal acts upon it.
extension Failure {
  static func quoted(_ text: String) -> String { "\"\(PlainText.escaped(text))\"" }
  static func path(_ path: String) -> String { path.isEmpty ? "the file" : quoted(path) }
  static func name(_ account: Account) -> String { PlainText.escaped(account.shownName) }
  static func reason(_ code: Int32) -> String { SystemMessage.text(code) }

  static func command(_ words: String, _ group: GroupName) -> String {
    group == .universalStorage ? "tokenvault \(words)" : "tokenvault \(words) --group \(group)"
  }

  static func listed(_ accounts: [Account]) -> String {
    accounts.map { account in
      "\n  \(name(account))  \(PlainText.shellWord(account.selector))"
    }.joined()
  }
}
