import ArgumentParser
import TokenVault
import TokenVaultModel

struct WhichCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "which", abstract: "Say which account and group apply here, and why.",
    discussion: """
      EXAMPLES
        tokenvault which
        TOKENVAULT_GROUP=dev.tokenvault.shared tokenvault which --json
      """)

  @OptionGroup var choice: AccountOption
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    var invocation = invocation
    invocation.options.account = choice.account
    let selection = try invocation.select()
    let vault = try invocation.vault(of: selection)
    // The group is told in any case: why there is no account may lie in it.
    var account: Account?
    var failure: (any Error)?
    do { account = try vault.account(selection.account) } catch { failure = error }
    if global.json {
      try invocation.answerJSON { write(selection, account, vault, to: &$0) }
    } else {
      if let account {
        try invocation.answer(
          "account  \(PlainText.escaped(account.shownName))",
          "         \(selection.accountRule.reason(isAccount: true))")
      }
      try invocation.answer(
        "group    \(selection.group)", "         \(selection.groupRule.reason(isAccount: false))",
        "file     \(PlainText.escaped(vault.configuration.groupPath))")
    }
    if let failure { throw failure }
  }

  private func write(
    _ selection: Selection, _ account: Account?, _ vault: GroupSession, to writer: inout JSONWriter
  ) {
    writer.object { writer in
      writer.key("account")
      if let account { account.write(to: &writer) } else { writer.null() }
      writer.key("accountRule")
      selection.accountRule.write(to: &writer)
      writer.field("group", selection.group.description)
      writer.key("groupRule")
      selection.groupRule.write(to: &writer)
      writer.field("groupFile", vault.configuration.groupPath)
    }
  }
}

extension Selection.Rule {
  /// The reason, as a part of a sentence.
  func reason(isAccount: Bool) -> String {
    switch self {
    case .option: isAccount ? "named by --account" : "named by --group"
    case .variable:
      isAccount ? "named by TOKENVAULT_ACCOUNT" : "named by TOKENVAULT_GROUP"
    case .directory(let path): "by the rule of \(PlainText.escaped(path))"
    case .configuration(let path): "the default in \(PlainText.escaped(path))"
    case .standard: isAccount ? "the group's current account" : "the built-in default"
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      switch self {
      case .option: writer.field("kind", "option")
      case .variable: writer.field("kind", "environment")
      case .directory(let path):
        writer.field("kind", "directory")
        writer.field("source", path)
      case .configuration(let path):
        writer.field("kind", "configuration")
        writer.field("source", path)
      case .standard: writer.field("kind", "default")
      }
    }
  }
}

extension Invocation {
  /// With `-v`: which group, and why.
  func explain(_ selection: Selection) {
    guard options.isVerbose else { return }
    tell("group \(selection.group), \(selection.groupRule.reason(isAccount: false))")
  }
}
