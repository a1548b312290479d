import ArgumentParser
import TokenVault
import TokenVaultCredentialHelpers
import TokenVaultModel
import TokenVaultSystem

struct CredentialCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "credential", abstract: "Let other tools ask the vault for credentials.",
    discussion: """
      `install` makes a tool ask the vault in the protocol that the tool speaks: git, docker, cargo, \
      keyring (pip, uv), terraform, azure (az), azure-developer (azd). The tool starts its helper \
      under the name it expects, such as git-credential-tokenvault; the helper is this program. \
      `tokenvault credential PROTOCOL ARGUMENTS` is the same helper.

      A helper sends a secret only to the address that it was stored for. It takes --group, \
      --account and -v before the arguments of the tool. With -v it prints to standard error which \
      account it used, and why.

      EXAMPLES
        tokenvault credential install git
        tokenvault credential install docker --host registry.example.com
        tokenvault credential status
        tokenvault credential uninstall git
      """,
    subcommands: [
      CredentialInstallCommand.self, CredentialUninstallCommand.self, CredentialStatusCommand.self,
    ])
}

struct CredentialInstallCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "install", abstract: "Make tools ask the vault.",
    discussion: """
      Prints each change before it is made: a link to this program, and an entry in the \
      configuration of the tool. `uninstall` undoes exactly these.

      EXAMPLES
        tokenvault credential install git --dry-run
        tokenvault credential install git docker
      """)

  @Argument(
    help: "The protocols: git, docker, cargo, keyring, terraform, azure or azure-developer.",
    completion: .list(HelperSetup.names))
  var names: [String]
  @Option(help: "Ask the vault for this host only; may be repeated. For git and docker.")
  var host: [String] = []
  @Option(
    help: ArgumentHelp("The directory of the links. Default: ~/.local/bin.", valueName: "dir"),
    completion: .directory)
  var programs: String?
  @Flag(help: "Put the helper in front of another keyring, az or azd.")
  var force = false
  @Flag(help: "Print the changes and make none.")
  var dryRun = false
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    for host in host where ServiceURL(host) == nil { throw CommandError.badServiceURL(host) }
    let setups = try names.map { name in
      guard HelperSetup.tools[name] != nil, let spoken = HelperProtocol.named(name) else {
        throw Failure.unknownHelper(name)
      }
      guard host.isEmpty || HelperSetup.takeHosts.contains(name) else {
        throw Failure.hostNotTaken(name)
      }
      return try HelperSetup(
        spoken, hosts: host, programs: programs, mayHide: force, invocation)
    }
    for setup in setups { try install(setup, invocation) }
  }

  private func install(_ setup: HelperSetup, _ invocation: Invocation) throws {
    var installed = try InstalledHelpers(invocation)
    let changes = try setup.changes()
    if dryRun {
      let lines = try changes.filter { try !$0.isInForce(in: invocation) }
        .map { try $0.prepared(in: invocation).text }
      return try invocation.answer(Array(lines.map { $0 + "\n" }.joined().utf8))
    }
    let name = setup.spoken.name
    for former in installed.changes[name] ?? []
    where former.linkPath != nil && !changes.contains(former)
      && changes.contains(where: { $0.linkPath == former.linkPath })
    {
      // A link of an earlier installation, to where the program was.
      try former.undo(in: invocation)
    }
    let former = installed.changes.values.flatMap { $0 }
    let new = try changes.filter { try !$0.isInForce(in: invocation) }
      .map { try $0.prepared(in: invocation, after: former) }
    // Recorded first, so that an installation that fails half way can be undone.
    let kept = (installed.changes[name] ?? []).filter { known in
      !new.contains { $0.kind == known.kind }
    }
    try installed.set(name, kept.filter { $0.linkPath == nil || changes.contains($0) } + new)
    for change in new {
      try invocation.answer(change.text)
      try change.apply(in: invocation)
    }
    // Those of an installation that was cut short may not be on the disk yet.
    try InstalledHelpers.makeDurable(changes, invocation)
    let isChanged = !new.isEmpty
    let tools = HelperSetup.tools[setup.spoken.name] ?? setup.spoken.name
    try invocation.answer(
      isChanged
        ? "Installed. From now on, \(tools) will ask the vault."
        : "\(setup.spoken.name) is installed already.")
    if !setup.isInPath, setup.spoken.name != "git" {
      invocation.tell(
        "The helper is found only through PATH, which does not have "
          + "\(PlainText.escaped(setup.programs)).\n"
          + "next: export PATH=\"$PATH:\(setup.programs)\", in the profile of your shell")
    }
  }
}

struct CredentialUninstallCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "uninstall", abstract: "Undo `credential install`.",
    discussion: """
      Stored credentials stay in the vault. An entry that was changed since is left alone.

      EXAMPLES
        tokenvault credential uninstall git
      """)

  @Argument(help: "The protocols.", completion: .list(HelperSetup.names))
  var names: [String]
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    var installed = try InstalledHelpers(invocation)
    for name in names where HelperProtocol.named(name) == nil { throw Failure.unknownHelper(name) }
    for name in names {
      let changes = installed.changes[name] ?? []
      guard !changes.isEmpty else {
        try invocation.answer("\(name) is not installed.")
        continue
      }
      for change in changes.reversed() {
        let wasInForce = try change.undo(in: invocation)
        try InstalledHelpers.makeDurable([change], invocation)
        if wasInForce {
          try invocation.answer("undone  \(change.text)")
        } else {
          try invocation.answer("left    \(change.text) (changed since)")
        }
        try installed.set(name, Array((installed.changes[name] ?? []).dropLast()))
      }
    }
  }
}

struct CredentialStatusCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "List the helpers, and test those that are installed.",
    discussion: """
      A helper is active if all its changes are in force and its program answers; broken if one of \
      them is missing; otherwise off.

      EXAMPLES
        tokenvault credential status
      """)

  @OptionGroup var layout: TableOptions
  @OptionGroup(title: "Global options") var global: GlobalOptions

  private struct Row {
    let name: String
    let state: String
    let detail: String
  }

  func run(in invocation: Invocation) throws {
    let installed = try InstalledHelpers(invocation)
    let rows = try HelperProtocol.all.filter { HelperSetup.tools[$0.name] != nil }
      .map { try row($0, installed.changes[$0.name] ?? [], invocation) }
    if global.json {
      return try invocation.answerJSON { writer in
        writer.array(rows) { writer, row in
          writer.object {
            $0.field("name", row.name)
            $0.field("state", row.state)
            $0.field("detail", row.detail)
          }
        }
      }
    }
    let table = TextTable([["TOOL", "STATE", ""]] + rows.map { [$0.name, $0.state, $0.detail] })
    try invocation.answer(layout.shown(table.text()))
  }

  private func row(
    _ spoken: HelperProtocol, _ changes: [ConfigurationChange], _ invocation: Invocation
  ) throws -> Row {
    guard !changes.isEmpty else { return Row(name: spoken.name, state: "off", detail: "") }
    for change in changes {
      // A configuration that cannot be read is broken, too.
      let isInForce: Bool
      do { isInForce = try change.isInForce(in: invocation) } catch {
        return Row(name: spoken.name, state: "broken", detail: Failure(error).message)
      }
      guard isInForce else {
        return Row(name: spoken.name, state: "broken", detail: "missing: \(change.text)")
      }
    }
    let program = changes.compactMap(\.linkPath).first ?? spoken.programs[0]
    let test = try ChildProgram.run(
      [program, "--version"], environment: Invocation.wholeEnvironment())
    guard test?.status == 0 else {
      return Row(name: spoken.name, state: "broken", detail: "\(program) does not answer")
    }
    return Row(name: spoken.name, state: "active", detail: "")
  }
}
