import ArgumentParser
import TokenVault
import TokenVaultModel

struct GroupShowCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a group's manifest, key and file.",
    discussion: """
      The command never asks for anything and unlocks nothing. Of a locked group it shows what is \
      known without the key.

      EXAMPLES
        tokenvault group show com.microsoft.identity.universalstorage
      """)

  @OptionGroup var argument: GroupArgument
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    let vault = try argument.vault(in: invocation)
    let group = try GroupInspection(vault).describe()
    guard group.manifest != nil || group.file != nil else {
      throw CommandError.unknownGroup(group.name)
    }
    let condition = GroupCondition(try invocation.vaultWithoutPrompt(of: group.name))
    try show(group, condition, vault.configuration, in: invocation)
    guard condition.content?.isHistoryDamaged != true else {
      throw CommandError.historyDamaged(group: group.name)
    }
  }

  private func show(
    _ group: GroupDescription, _ condition: GroupCondition, _ configuration: VaultConfiguration,
    in invocation: Invocation
  ) throws {
    let now = invocation.now
    let manifest = group.manifest?.manifest
    let keyFile = keyFile(group, configuration)
    if global.json {
      return try invocation.answerJSON {
        group.write(condition, keyFile: keyFile, now: now, to: &$0)
      }
    }
    let file = configuration.groupPath
    var rows = [["group", group.name.description]]
    if let manifest { rows.append(["title", PlainText.escaped(manifest.title)]) }
    rows.append([
      "file", PlainText.escaped(file) + (group.file == nil ? " (not created yet)" : ""),
    ])
    if let generation = group.file?.generation { rows.append(["generation", "\(generation)"]) }
    rows.append(["custody", group.custody?.word ?? "-"])
    if let keyFile {
      let isThere = InputFile.exists(keyFile)
      rows.append(["key file", PlainText.escaped(keyFile) + (isThere ? "" : " (missing)")])
    }
    if let part = group.devicePart {
      rows.append(["device part", PlainText.escaped(part.path) + (part.exists ? "" : " (missing)")])
    }
    if let file = group.file { rows += condition.rows(file.generation, now: now) }
    if let manifest {
      rows.append(["device mode", manifest.deviceMode.rawValue])
      rows += manifest.members.map { ["member", PlainText.escaped($0.description)] }
    }
    let source = group.manifest.map { $0.path.map(PlainText.escaped) ?? "shipped" }
    rows.append(["manifest", source ?? "none"])
    try invocation.answer(TextTable(rows).text())
  }

  private func keyFile(
    _ group: GroupDescription, _ configuration: VaultConfiguration
  ) -> String? {
    guard group.custody == .keyFile else { return nil }
    if let path = configuration.keyFile { return path }
    guard case .keyFile(let path)? = group.manifest?.manifest.custody else { return nil }
    return path
  }
}
