import TokenVault
import TokenVaultModel

/// A rule, and whether it still holds.
struct AccountRuleState {
  let rule: AccountRule
  /// Whether the rule's directory exists; true for a rule without one.
  let directoryExists: Bool
  /// Nil if the group does not contain the account any more, or cannot be opened.
  let account: Account?
  /// Whether the account is known not to be in the group.
  let isSignedOut: Bool

  init(_ rule: AccountRule, _ rules: AccountRules, in invocation: Invocation) throws {
    self.rule = rule
    directoryExists = rule.conditions.directory.map(InputFile.exists) ?? true
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

  private var name: String { account.map { PlainText.escaped($0.shownName) } ?? "-" }

  static let headings = ["WHERE", "ACCOUNT", "STATE", "GROUP"]

  var row: [String] {
    let state = !directoryExists ? "missing" : isSignedOut ? "signed out" : "ok"
    return [
      rule.conditions.words, rule.isDenial ? "never \(name)" : name, state,
      rule.group.description,
    ]
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.key("directory")
      if let path = rule.conditions.directory { writer.string(path) } else { writer.null() }
      writer.key("conditions")
      writer.array(rule.conditions.parts) { writer, part in
        writer.object {
          $0.field("kind", part.kind)
          $0.field("source", part.text)
        }
      }
      writer.field("denies", rule.isDenial)
      writer.field("exists", directoryExists)
      writer.field("group", rule.group.description)
      writer.key("account")
      if let account { account.write(to: &writer) } else { writer.null() }
    }
  }
}
