import TokenVault
import TokenVaultModel

/// Phrases that several messages share. Text from files, providers and arguments goes through these
/// functions, so that a terminal never interprets it.
extension Failure {
  static let doctor = "tokenvault doctor"
  /// The note below a command that opens a group, for a key that could not be deleted.
  static let triesAgain = "It tries again."

  static func quoted(_ text: String) -> String { "\"\(PlainText.escaped(text))\"" }
  static func path(_ path: String) -> String { path.isEmpty ? "the file" : quoted(path) }
  static func name(_ account: Account) -> String { PlainText.escaped(account.shownName) }
  static func reason(_ code: Int32) -> String { SystemMessage.text(code) }

  /// A command line for a group; the built-in group needs no `--group`.
  static func command(_ words: String, _ group: GroupName) -> String {
    group == .universalStorage ? "tokenvault \(words)" : "tokenvault \(words) --group \(group)"
  }

  /// The first sign-in to a group. The user's configuration may know the provider.
  static func firstSignIn(_ group: GroupName) -> String {
    command(Invocation.ofProcess().hasDefaultClient ? "sign-in" : "sign-in microsoft", group)
  }

  /// The line below ``firstSignIn(_:)``, with the other providers; nil if the configuration names one.
  static var otherProviders: String? {
    let invocation = Invocation.ofProcess()
    guard !invocation.hasDefaultClient else { return nil }
    return "other providers: "
      + SignInProvider.forms(in: invocation).dropFirst().joined(separator: ", ")
  }

  /// Makes the directory of a path that cannot be written, or shows it.
  static func lookAround(_ path: String) -> String {
    let parent = path.lastIndex(of: "/").map { path[..<$0] } ?? "."
    let directory = parent.isEmpty ? "/" : String(parent)
    return (InputFile.exists(directory) ? "ls -ld " : "mkdir -p ") + PlainText.shellWord(directory)
  }

  /// "run the command again", with an addition such as "with --yes".
  static func again(_ addition: String = "") -> String {
    "run the command again" + (addition.isEmpty ? "" : " \(addition)")
  }

  /// The longest list in a message.
  static let mostLines = 20

  static func listed(_ accounts: [Account]) -> String {
    let rest = accounts.count - mostLines
    return accounts.shortestForms.prefix(mostLines).map { "\n  \(PlainText.shellWord($0))" }
      .joined()
      + (rest > 0 ? "\n  and \(rest) more" : "")
  }
}
