import ArgumentParser
import TokenVault
import TokenVaultModel

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
      "file", PlainText.escaped(file) + (group.file == nil ? " (not created yet)" : ""),
    ])
    if let generation = group.file?.generation { rows.append(["generation", "\(generation)"]) }
    rows.append(["custody", group.custody?.word ?? "-"])
    if let part = group.devicePart {
      rows.append(["device part", PlainText.escaped(part.path) + (part.exists ? "" : " (missing)")])
    }
    if let manifest {
      rows.append(["device mode", manifest.deviceMode.rawValue])
      rows += manifest.members.map { ["member", PlainText.escaped($0.description)] }
    }
    let source = group.manifest.map { $0.path.map(PlainText.escaped) ?? "shipped" }
    rows.append(["manifest", source ?? "none"])
    try invocation.answer(TextTable(rows).text())
  }
}
