import ArgumentParser
import Glibc
import TokenVaultKeyCustody
import TokenVault
import TokenVaultModel

struct GroupCreateCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Make a group.",
    discussion: """
      A group that has a manifest is made from it; options change it, in a copy of your own. A \
      key file that does not exist is made.

      EXAMPLES
        tokenvault group create com.example.team --title "The team's accounts" --member deploy
        tokenvault group create com.example.server --custody key-file --key-file /srv/vault.key
      """)

  @Argument(help: "The group's name, as in com.example.team.")
  var name: String
  @Option(help: "One line for people.")
  var title: String?
  @Option(
    help: "A tool that may open it: its executable's path or bare name; may be repeated.",
    completion: .file())
  var member: [String] = []
  @OptionGroup var custody: CustodyOptions
  @Option(
    help: "private: one person uses this device; shared: several do.",
    completion: .list(["private", "shared"]))
  var deviceMode: String?
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func validate() throws {
    if let deviceMode, GroupManifest.DeviceMode(rawValue: deviceMode) == nil {
      throw ValidationError("--device-mode is private or shared.")
    }
  }

  func run(in invocation: Invocation) throws {
    var invocation = invocation
    invocation.options.group = name
    let selection = try invocation.select(needsAccount: false)
    let vault = try invocation.vault(of: selection)
    let present = try vault.describe()
    guard present.file == nil else { throw VaultError.groupExists(selection.group) }
    let manifest = try manifest(selection.group, present.manifest?.manifest, invocation)
    let changed = manifest == present.manifest?.manifest ? nil : manifest
    let madeKey = try manifest.custody.makeKeyFile()
    do {
      if let changed { try vault.manifests.save(changed) }
      try vault.create()
    } catch {
      // A group that could not be made leaves nothing behind. One that has its file needs its key
      // file and its manifest, whatever failed after that.
      if unsafe access(vault.configuration.groupPath, F_OK) != 0 {
        if changed != nil { try vault.putBack(present.manifest) }
        if let madeKey { unsafe unlink(madeKey) }
      }
      throw error
    }
    if let madeKey { invocation.tell("Made the key file \(PlainText.escaped(madeKey)).") }
    let made = try vault.describe()
    if global.json { return try invocation.answerJSON { made.write(to: &$0) } }
    try invocation.answer("Made the group \(selection.group), custody \(manifest.custody.word).")
  }

  private func manifest(
    _ name: GroupName, _ present: GroupManifest?, _ invocation: Invocation
  ) throws -> GroupManifest {
    var manifest: GroupManifest
    if let present {
      manifest = present
    } else {
      let own = GroupManifest.Member("tokenvault")
      manifest = GroupManifest(
        name: name, title: name.description, members: [own].compactMap(\.self),
        custody: .secretService, deviceMode: .private)
    }
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

/// Where a group's key is to be kept.
struct CustodyOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Who keeps the key: secret-service, passphrase or key-file.", valueName: "custody"),
    completion: .list(["secret-service", "passphrase", "key-file"]))
  var custody: String?
  @Option(help: "The file, for key-file.", completion: .file())
  var keyFile: String?

  /// Nil when none is named.
  func chosen(_ invocation: Invocation) throws -> GroupManifest.Custody? {
    let path = try keyFile.map { try invocation.absolute($0) }
    switch custody {
    case nil: return path.map { .keyFile(path: $0) }
    case "key-file":
      guard let path else { throw CommandError.keyFileNotNamed }
      return .keyFile(path: path)
    case let word?:
      guard path == nil else {
        throw CommandError.optionsExclude("--custody \(PlainText.escaped(word))", "--key-file")
      }
      switch word {
      case "secret-service": return .secretService
      case "passphrase": return .passphrase
      default: throw CommandError.badCustody(word)
      }
    }
  }
}

extension GroupManifest.Custody {
  /// Makes the key file that is named and does not exist.
  /// - Returns: its path, when it was made now.
  func makeKeyFile() throws(CommandError) -> String? {
    guard case .keyFile(let path) = self, !InputFile.exists(path) else { return nil }
    do throws(CustodyError) { try KeyFileCustodian.create(path: path) } catch {
      switch error {
      case .keyFileUnreadable(_, let code): throw .fileNotMade(path: path, errno: code)
      case .keyFileMissing: throw .fileNotMade(path: path, errno: ENOENT)
      default: throw .vault(.custody(error, group: .universalStorage))
      }
    }
    return path
  }
}

extension VaultCore {
  /// Puts the manifest back that was in force before; nil for none.
  func putBack(_ manifest: Manifests.Found?) throws(VaultError) {
    let own = configuration.manifestDirectories.first.map { $0 + "/\(group).json" }
    guard let manifest, manifest.path == own else { return try manifests.remove(group) }
    try manifests.save(manifest.manifest)
  }
}

extension Invocation {
  /// A member as it is named on the command line: a path is made absolute, with its links
  /// resolved, since that is how the kernel names a running program.
  func member(_ text: String) throws(CommandError) -> GroupManifest.Member {
    var name = text
    if text.utf8.contains(UInt8(ascii: "/")) {
      name = try PathText.normal(absolute(text))
      if let resolved = unsafe realpath(name, nil) {
        name = unsafe String(cString: resolved)
        unsafe free(resolved)
        if unsafe access(name, X_OK) != 0 {
          tell("Note: \(PlainText.escaped(name)) is not executable.")
        }
      } else {
        tell("Note: there is no \(PlainText.escaped(name)) yet.")
      }
    }
    guard let member = GroupManifest.Member(name) else { throw .badMember(text) }
    return member
  }
}

struct GroupMembersCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "members", abstract: "List, add or remove the tools that may open a group.",
    discussion: """
      Changes go into your own copy of the group's manifest. tokenvault itself is always let in.

      EXAMPLES
        tokenvault group members
        tokenvault group members com.example.team --add /opt/example/bin/report
        tokenvault group members com.example.team --remove report
      """)

  @OptionGroup var argument: GroupArgument
  @Option(help: "An executable's path or bare name; may be repeated.", completion: .file())
  var add: [String] = []
  @Option(help: "The same, to remove.")
  var remove: [String] = []
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    let vault = try argument.vault(in: invocation)
    var manifest = try vault.manifests.find(vault.group).manifest
    let before = manifest.members
    for text in remove {
      let member = try invocation.member(text)
      guard manifest.members.contains(where: { $0 == member || $0.description == text }) else {
        throw Failure(
          .notFound, "\(PlainText.escaped(text)) is not a member of the group \(vault.group).",
          next: "tokenvault group members \(vault.group)")
      }
      manifest.members.removeAll { $0 == member || $0.description == text }
    }
    for text in add {
      let member = try invocation.member(text)
      if !manifest.members.contains(member) { manifest.members.append(member) }
    }
    if manifest.members != before { try vault.manifests.save(manifest) }
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

struct GroupDeleteCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete a group with all its accounts, for good.",
    discussion: """
      The key goes first, which alone makes every copy of the file unreadable, but for who has a \
      passphrase, key file or recovery code of the time of the copy. The manifest stays.

      EXAMPLES
        tokenvault group delete com.example.team
      """)

  @Argument(
    help: "The group.", completion: .custom { _, _, _ in Completions.groups() })
  var name: String
  @Flag(help: "Do not ask for confirmation.")
  var yes = false
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    var invocation = invocation
    invocation.options.group = name
    let vault = try invocation.vault(of: invocation.select(needsAccount: false))
    guard try vault.describe().file != nil else { throw VaultError.noGroup(vault.group) }
    try invocation.confirm(
      "Delete the group \(vault.group) and every account in it?", isAnswered: yes)
    try vault.delete()
    if global.json {
      try invocation.answerJSON { $0.object { $0.field("deleted", name) } }
    } else {
      try invocation.answer("Deleted the group \(vault.group).")
    }
  }
}
