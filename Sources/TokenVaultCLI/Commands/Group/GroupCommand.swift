import ArgumentParser
import TokenVault
import TokenVaultModel

struct GroupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "group", abstract: "Work with keychain groups.",
    discussion: """
      A group is one encrypted file of accounts, with a manifest that says which tools may open \
      it and who keeps its key. Commands take a group's name, else the group in force.

      EXAMPLES
        tokenvault group create com.example.team --member deploy
        tokenvault group members com.example.team --add /opt/example/bin/report
        tokenvault group backup ~/team.backup --group com.example.team
      """,
    subcommands: [
      GroupListCommand.self, GroupCreateCommand.self, GroupShowCommand.self,
      GroupDeleteCommand.self, GroupMembersCommand.self, GroupRekeyCommand.self,
      GroupRecoveryCodeCommand.self, GroupVerifyCommand.self, GroupBackupCommand.self,
      GroupRestoreCommand.self, GroupUnlockCommand.self, GroupLockCommand.self,
    ])
}

/// The group that a group command is about.
struct GroupArgument: ParsableArguments {
  @Argument(
    help: "The group. Else the one in force.",
    completion: .custom { _, _, _ in Completions.groups() })
  var name: String?

  func vault(in invocation: Invocation) throws -> GroupSession {
    var invocation = invocation
    if let name { invocation.options.group = name }
    return try invocation.vaultInForce()
  }
}

extension Invocation {
  /// The vault of the group in force, for commands without an account.
  func vaultInForce() throws -> GroupSession {
    let selection = try select(needsAccount: false)
    explain(selection)
    return try vault(of: selection)
  }
}

struct GroupListCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the groups.",
    discussion: """
      Every group that has a manifest or a file. Nothing is opened.

      EXAMPLES
        tokenvault group list
      """,
    aliases: ["ls"])

  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    let configuration = try invocation.configuration(.universalStorage)
    let manifests = Manifests(directories: configuration.manifestDirectories)
    let names = try Set(manifests.names() + invocation.groupsOnDisk()).sorted()
    let groups = try names.map {
      try GroupInspection(GroupSession(invocation.configuration($0))).describe()
    }
    if global.json { return try invocation.answerJSON { $0.array(groups) { $1.write(to: &$0) } } }
    let rows = groups.map { group in
      [
        group.name.description, group.file == nil ? "no file" : "exists",
        group.custody?.word ?? "-", "\(group.manifest?.manifest.members.count ?? 0)",
        PlainText.escaped(group.manifest?.manifest.title ?? ""),
      ]
    }
    try invocation.answer(
      TextTable([["GROUP", "STATE", "CUSTODY", "MEMBERS", "TITLE"]] + rows).text())
  }
}

struct GroupShowCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a group's manifest and file.",
    discussion: """
      EXAMPLES
        tokenvault group show com.microsoft.identity.universalstorage
      """)

  @OptionGroup var argument: GroupArgument
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    let vault = try argument.vault(in: invocation)
    let group = try GroupInspection(vault).describe()
    guard group.manifest != nil || group.file != nil else {
      throw VaultError.noManifest(group.name)
    }
    if global.json { return try invocation.answerJSON { group.write(to: &$0) } }
    let manifest = group.manifest?.manifest
    let file = vault.configuration.groupPath
    var rows = [["group", group.name.description]]
    if let manifest { rows.append(["title", PlainText.escaped(manifest.title)]) }
    rows.append([
      "file", PlainText.escaped(file) + (group.file == nil ? " (not made yet)" : ""),
    ])
    if let generation = group.file?.generation { rows.append(["generation", "\(generation)"]) }
    rows.append(["custody", group.custody?.word ?? "-"])
    if let manifest {
      rows.append(["device mode", manifest.deviceMode.rawValue])
      rows += manifest.members.map { ["member", PlainText.escaped($0.description)] }
    }
    let source = group.manifest.map { $0.path.map(PlainText.escaped) ?? "shipped" }
    rows.append(["manifest", source ?? "none"])
    try invocation.answer(TextTable(rows).text())
  }
}

extension GroupDescription {
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("name", name.description)
      writer.key("title")
      if let manifest { writer.string(manifest.manifest.title) } else { writer.null() }
      writer.field("exists", file != nil)
      writer.key("custody")
      if let custody { writer.string(custody.word) } else { writer.null() }
      writer.key("generation")
      if let file { writer.number(file.generation) } else { writer.null() }
      writer.field("members", manifest?.manifest.members.map(\.description) ?? [])
      writer.key("deviceMode")
      if let manifest {
        writer.string(manifest.manifest.deviceMode.rawValue)
      } else {
        writer.null()
      }
      writer.key("manifest")
      if let path = manifest?.path { writer.string(path) } else { writer.null() }
    }
  }
}

struct GroupVerifyCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Look at every byte of a group's file.",
    discussion: """
      EXAMPLES
        tokenvault group verify
      """)

  @OptionGroup var argument: GroupArgument
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    let vault = try argument.vault(in: invocation)
    let findings = try GroupInspection(vault).verify()
    if global.json {
      try invocation.answerJSON { findings.write(vault.group, to: &$0) }
    } else if findings.isSound {
      try invocation.answer(
        "\(vault.group) is sound: \(findings.accounts) accounts, "
          + "\(findings.credentials) credentials.")
    }
    guard findings.isSound else { throw CommandError.notSound(findings, group: vault.group) }
  }
}

extension VerificationFindings {
  func write(_ group: GroupName, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("group", group.description)
      writer.field("sound", isSound)
      writer.field("accounts", accounts)
      writer.field("credentials", credentials)
      writer.field("damagedAccounts", damagedAccounts)
      writer.field("strayRows", strayRows)
      writer.key("structure")
      if let structure { writer.string(structure) } else { writer.null() }
    }
  }
}
