import ArgumentParser
import TokenVault
import TokenVaultModel
import TokenVaultSystem

struct ImportCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import accounts, tokens and passwords from another tool's cache or store.",
    discussion: """
      Reads a token cache of MSAL libraries or Azure CLI. A newer token is never replaced by an \
      older one. The file is not changed and keeps its tokens in plaintext: delete it when no tool \
      needs it.

      The file is remembered: a sign-out looks into it and reports whether the account is still \
      there. --remove takes an account out of the file and changes nothing else in it, nor in a \
      group. It holds the lock that MSAL's extensions use. A tool that has the cache in memory may \
      write the account back: end it first.

      An import makes no account current. If an azureProfile.json is in the same directory, the \
      command that chooses the account of its default subscription is printed.

      --from reads the store of another program: `git` (items of git-credential-libsecret), `gcm` \
      (Git Credential Manager), `gh`, `msal` (caches in the Secret Service), `pass` (all entries, or \
      those below a PREFIX), `keepassxc` (a FILE exported as CSV or XML, or -), `oidc-agent` (the \
      NAME of an account). Passwords go to the group that `add` would choose. A secret that the group \
      already has is kept; if it differs, --force replaces it. --remove takes out of the store what \
      can be read back from the group, after a question. Each item that does not come in is named, \
      and the exit status is then 1.

      EXAMPLES
        tokenvault import ~/.azure/msal_token_cache.json
        tokenvault import --from pass web --dry-run
        keepassxc-cli export passwords.kdbx | tokenvault import --from keepassxc -
        other-tool --print-cache | tokenvault import - --group dev.tokenvault.shared
        tokenvault import --remove ~/.azure/msal_token_cache.json ada@contoso.example
      """)

  @Argument(
    help: "The cache, or - for standard input; with --from, the place in the store.",
    completion: .file())
  var file: String?
  @Argument(
    help:
      "With --remove: the user name, home account id, ID//ENVIRONMENT or ID//ISSUER in the file.")
  var account: String?
  @Option(help: "The program whose store is read.")
  var from: StoreName?
  @Option(
    help: ArgumentHelp(
      "With --from msal: an attribute of the item, if a program chose its own.",
      valueName: "name=value"))
  var attribute: [String] = []
  @Flag(help: "Take an account out of the file; with --from, the imported items out of the store.")
  var remove = false
  @Flag(help: "With --from: replace secrets that the group has.")
  var force = false
  @OptionGroup var confirmation: ConfirmationOption
  @Option(help: "With --remove: take out the tokens of this client only.")
  var clientId: String?
  @Flag(help: "Print what would be stored, and change nothing.")
  var dryRun = false
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func validate() throws {
    if remove, dryRun { throw ValidationError("--remove and --dry-run cannot be combined.") }
    if let from { return try validateStore(from) }
    if force || confirmation.yes || !attribute.isEmpty {
      throw ValidationError("--force, --yes and --attribute need --from.")
    }
    if file == nil { throw ValidationError("Missing expected argument '<file>'") }
    guard remove else {
      if account != nil || clientId != nil {
        throw ValidationError("An account and --client-id need --remove.")
      }
      return
    }
    if account == nil { throw ValidationError("--remove needs FILE and ACCOUNT.") }
    if file == "-" { throw ValidationError("--remove needs a file.") }
  }

  func run(in invocation: Invocation) throws {
    if let from { return try run(from: from, in: invocation) }
    guard let file else { return }
    if remove, let account { return try remove(account, in: file, invocation) }
    try run(file, in: invocation)
  }

  private func run(_ file: String, in invocation: Invocation) throws {
    let selection = try invocation.select(needsAccount: false)
    invocation.explain(selection)
    let cache = try self.cache(file)
    let preferred = try preferredUser(file)
    let vault = try invocation.vault(of: selection)
    let report = try CacheImport(vault, progress: invocation.progress("Importing accounts"))
      .run(
        cache, from: file == "-" ? nil : file, isRehearsal: dryRun, needsContent: true)
    if dryRun { return try tellDryRun(report, selection.group, invocation) }
    invocation.tellOfNewGroup(report.madeGroup, selection.group)
    if file != "-", !report.isEmpty {
      invocation.tell(
        "\(PlainText.escaped(file)) still has its tokens in plaintext; delete it when no tool needs "
          + "it.")
    }
    if global.json {
      try invocation.answerJSON { write(report, selection.group, to: &$0) }
    } else {
      try invocation.answer(Array(text(report, selection.group, invocation).utf8))
    }
    if let preferred { suggest(preferred, in: vault, invocation) }
  }

  private func tellDryRun(
    _ report: ImportReport, _ group: GroupName, _ invocation: Invocation
  ) throws {
    if global.json {
      try invocation.answerJSON { write(report, group, to: &$0) }
    } else {
      try invocation.answer(Array(text(report, group, invocation).utf8))
      if report.madeGroup { invocation.tell("The group \(group) would be created.") }
    }
    invocation.tell("Nothing was changed.")
  }

  /// Prints how to choose the account that Azure CLI uses, if none is chosen here.
  private func suggest(_ user: String, in vault: GroupSession, _ invocation: Invocation) {
    bestEffort("the import succeeded, and the next command says that no account is chosen") {
      do { _ = try vault.account(.current) } catch VaultError.ambiguousCurrentAccount(
        let candidates, let group)
      {
        guard candidates.contains(where: { CaseFolding.equal($0.username, user) }) else { return }
        invocation.tell(
          "No account is current. Azure CLI uses \(PlainText.escaped(user)).\nnext: "
            + Failure.command("switch \(PlainText.shellWord(user))", group))
      }
    }
  }

  private func remove(_ account: String, in file: String, _ invocation: Invocation) throws {
    let (count, selector) = try CacheFile(file)
      .remove(AccountReference(parsing: account, allowsPrefix: false), clientID: clientId)
    if global.json {
      return try invocation.answerJSON { writer in
        writer.object {
          $0.field("file", file)
          $0.field("account", selector)
          $0.field("entriesRemoved", count)
        }
      }
    }
    try invocation.answer(
      "Removed \(PlainText.escaped(account)) from \(PlainText.escaped(file)): \(count.counted("entry"))."
    )
  }

  private func cache(_ file: String) throws -> MSALCache {
    let bytes =
      file == "-"
      ? try InputFile.standardInput(limit: MSALCache.fileLimit)
      : try InputFile.read(file, limit: MSALCache.fileLimit)
    do { return try MSALCache(json: bytes) } catch { throw VaultError.cache(error) }
  }

  /// The file, in a message.
  private var source: String {
    file == "-" ? "Standard input" : "\"\(PlainText.escaped(file ?? ""))\""
  }

  /// The user of Azure CLI's default subscription.
  private func preferredUser(_ file: String) throws -> String? {
    guard file != "-" else { return nil }
    let directory = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    let path = directory + "azureProfile.json"
    guard InputFile.exists(path) else { return nil }
    let bytes = try InputFile.read(path, limit: MSALCache.fileLimit)
    do { return try AzureProfile(json: bytes).defaultUser?.username } catch {
      throw VaultError.cache(error)
    }
  }

  private func text(
    _ report: ImportReport, _ group: GroupName, _ invocation: Invocation
  ) -> String {
    var lines: [String] = []
    let kinds = [
      ("added", report.added), ("updated", report.updated), ("unchanged", report.unchanged),
    ]
    let isShort = invocation.shortens(kinds.reduce(0) { $0 + $1.1.count })
    if isShort { invocation.tell("--verbose lists every account.") }
    for (word, accounts) in kinds where !accounts.isEmpty {
      guard !isShort else {
        lines.append("\(word)  \(accounts.count.counted("account"))")
        continue
      }
      lines += zip(accounts, accounts.shownPlaces).map { account, place in
        let name = PlainText.escaped(account.shownName)
        return "\(word)  \(name)  \(PlainText.escaped(place))"
      }
    }
    guard !report.isEmpty else { return "\(source) has no account and no token.\n" }
    let older =
      report.olderCredentials == 0
      ? "" : ", \(report.olderCredentials) not stored: the group already has them, or newer ones"
    let stored = dryRun ? "would be stored" : "stored"
    lines.append("\(report.credentials.counted("credential")) \(stored) in \(group)\(older).")
    return lines.map { $0 + "\n" }.joined()
  }

  private func write(_ report: ImportReport, _ group: GroupName, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("group", group.description)
      if dryRun { writer.field("dryRun", true) }
      writer.field("groupMade", report.madeGroup)
      writer.key("added")
      writer.array(report.added) { $1.write(to: &$0) }
      writer.key("updated")
      writer.array(report.updated) { $1.write(to: &$0) }
      writer.key("unchanged")
      writer.array(report.unchanged) { $1.write(to: &$0) }
      writer.field("credentialsStored", report.credentials)
      writer.field("credentialsKept", report.olderCredentials)
    }
  }
}
