import TokenVault
import TokenVaultModel

/// A rule of a directory, and whether it still holds.
struct DirectoryRuleState {
  let rule: DirectoryRules.Rule
  let directoryExists: Bool
  /// Nil if the group does not contain the account any more, or cannot be opened.
  let account: Account?
  /// Whether the account is known not to be in the group.
  let isSignedOut: Bool

  init(_ rule: DirectoryRules.Rule, _ rules: DirectoryRules, in invocation: Invocation) throws {
    self.rule = rule
    directoryExists = InputFile.exists(rule.path)
    var configuration = try invocation.configuration(rule.group)
    configuration.passphrase = nil
    do {
      account = try GroupSession(configuration).account(.rule(rule, rules))
      isSignedOut = false
    } catch VaultError.noAccountForDirectory, VaultError.noGroup {
      (account, isSignedOut) = (nil, true)
    } catch {
      (account, isSignedOut) = (nil, false)
    }
  }

  var row: [String] {
    [
      PlainText.escaped(rule.path), account.map { PlainText.escaped($0.shownName) } ?? "-",
      !directoryExists ? "missing" : isSignedOut ? "signed out" : "ok", rule.group.description,
    ]
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("directory", rule.path)
      writer.field("exists", directoryExists)
      writer.field("group", rule.group.description)
      writer.key("account")
      if let account { account.write(to: &writer) } else { writer.null() }
    }
  }
}
