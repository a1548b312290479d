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

  @OptionGroup var layout: TableOptions
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    let configuration = try invocation.configuration(.universalStorage)
    let manifests = Manifests(directories: configuration.manifestDirectories)
    let names = try Set(manifests.names() + invocation.groupsOnDisk()).sorted()
    var groups: [GroupDescription] = []
    var rows = [["GROUP", "STATE", "CUSTODY", "MEMBERS", "TITLE"]]
    var failures: [Failure] = []
    for name in names {
      do {
        let group = try GroupInspection(GroupSession(invocation.configuration(name))).describe()
        groups.append(group)
        rows.append(row(group))
      } catch {
        failures.append(Failure(invocation.refined(error)).of(name))
        rows.append([name.description, "unreadable", "-", "-", ""])
      }
    }
    if global.json {
      try invocation.answerJSON { $0.array(groups) { $1.write(to: &$0) } }
    } else {
      try invocation.answer(layout.shown(TextTable(rows).text()))
    }
    guard failures.isEmpty else { throw invocation.ending(failures) }
  }

  private func row(_ group: GroupDescription) -> [String] {
    [
      group.name.description, group.file == nil ? "no file" : "exists",
      group.custody?.word ?? "-", "\(group.manifest?.manifest.members.count ?? 0)",
      PlainText.escaped(group.manifest?.manifest.title ?? ""),
    ]
  }
}
