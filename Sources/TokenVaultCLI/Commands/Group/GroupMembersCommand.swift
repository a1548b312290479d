import ArgumentParser
import TokenVault
import TokenVaultModel

struct GroupMembersCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "members", abstract: "List, add or remove the programs that may open a group.",
    discussion: """
      Changes are saved in your own copy of the group's manifest. tokenvault itself always has \
      access.

      EXAMPLES
        tokenvault group members
        tokenvault group members com.example.team --add /opt/example/bin/report
        tokenvault group members com.example.team --remove report
      """)

  @OptionGroup var argument: GroupArgument
  @Option(help: "Add a program by its path or bare name; may be repeated.", completion: .file())
  var add: [String] = []
  @Option(help: "Remove a program by its path or bare name; may be repeated.")
  var remove: [String] = []
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    let vault = try argument.vault(in: invocation)
    var manifest = try vault.configuration.manifests.find(vault.group).manifest
    let before = manifest.members
    for text in remove {
      let member = try invocation.member(text)
      guard manifest.members.contains(where: { $0 == member || $0.description == text }) else {
        throw Failure(
          .notFound, "\(PlainText.escaped(text)) is not a member of the group \(vault.group).",
          next: "tokenvault group members \(vault.group)", code: "noMember")
      }
      manifest.members.removeAll { $0 == member || $0.description == text }
    }
    for text in add {
      let member = try invocation.member(text)
      if !manifest.members.contains(member) { manifest.members.append(member) }
    }
    if manifest.members != before { try vault.configuration.manifests.save(manifest) }
    if global.json {
      try invocation.answerJSON { writer in
        writer.object {
          $0.field("group", vault.group.description)
          $0.field("members", manifest.members.map(\.description))
        }
      }
    } else {
      let lines = manifest.members.map { PlainText.escaped($0.description) + "\n" }
      try invocation.answer(Array(lines.joined().utf8))
    }
  }
}
