import ArgumentParser
import TokenVault
import TokenVaultModel

struct GroupListCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the groups.",
    discussion: """
      Lists every group that has a manifest or a file. No file is opened.

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
