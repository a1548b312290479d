import ArgumentParser
import TokenVault
import TokenVaultModel

struct GroupCreateCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create a group.",
    discussion: """
      If the group has a manifest, it is created from that; options are saved in your own copy of \
      the manifest. A key file that does not exist is created.

      EXAMPLES
        tokenvault group create com.example.team --title "Our accounts" \\
            --member deploy
        tokenvault group create com.example.server --custody key-file \\
            --key-file /srv/vault.key
      """)

  @Argument(help: "The group's name, as in com.example.team.")
  var name: String
  @Option(help: "A one-line description.")
  var title: String?
  @Option(
    help: "A program that may open the group: its path or bare name; may be repeated.",
    completion: .file())
  var member: [String] = []
  @OptionGroup var custody: CustodyOptions
  @Option(
    help: "private: one person uses this device; shared: several people do.",
    completion: .list(["private", "shared"]))
  var deviceMode: String?
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func validate() throws {
    if let deviceMode, GroupManifest.DeviceMode(rawValue: deviceMode) == nil {
      throw ValidationError("--device-mode must be private or shared.")
    }
  }

  var custodyOptions: CustodyOptions? { custody }

  func run(in invocation: Invocation) throws {
    var invocation = invocation
    invocation.options.group = name
    let selection = try invocation.select(needsAccount: false)
    let vault = try invocation.vault(of: selection)
    let present = try GroupInspection(vault).describe()
    guard present.file == nil else { throw VaultError.groupExists(selection.group) }
    let manifest = try manifest(selection.group, present.manifest?.manifest, invocation)
    let madeKey = try GroupSetup(vault).create(from: manifest)
    if let madeKey { invocation.tell("Created the key file \(PlainText.escaped(madeKey)).") }
    let made = try GroupInspection(vault).describe()
    if global.json { return try invocation.answerJSON { made.write(to: &$0) } }
    try invocation.answer("Created the group \(selection.group), custody \(manifest.custody.word).")
  }

  private func manifest(
    _ name: GroupName, _ present: GroupManifest?, _ invocation: Invocation
  ) throws -> GroupManifest {
    var manifest = present ?? GroupManifest(plain: name)
    if let title {
      guard !title.isEmpty, PlainText.escaped(title) == title else { throw CommandError.badTitle }
      manifest.title = title
    }
    for text in member {
      let added = try invocation.member(text)
      if !manifest.members.contains(added) { manifest.members.append(added) }
    }
    if let chosen = try custody.chosen(invocation) { manifest.custody = chosen }
    if let mode = deviceMode.flatMap(GroupManifest.DeviceMode.init) { manifest.deviceMode = mode }
    return manifest
  }
}
