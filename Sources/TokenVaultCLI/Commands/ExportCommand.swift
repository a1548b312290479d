import ArgumentParser
import TokenVault
import TokenVaultModel

struct ExportCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write accounts, tokens or passwords for another tool.",
    discussion: """
      The export contains tokens in plaintext. It is written to a pipe, a redirection or the file \
      given by --output (mode 0600), and never to a terminal; `--output -` is standard output. Stored secrets are not exported.

      --to writes into the store of another program, and nowhere else: stored secrets to `git` \
      (items of git-credential-libsecret), `gcm` (Git Credential Manager), `gh` (by `gh auth login`) \
      or `pass`, and accounts to `msal`, an item of the Secret Service with the attributes that the \
      program chose. A different secret there is replaced with --force only. gh makes the account of \
      the token its active one, and needs --force if it has another token for the host. The copies are outside \
      the vault: a sign-out does not erase them.

      EXAMPLES
        tokenvault export --output cache.json
        tokenvault export --username ada@contoso.example | other-tool --read-cache
        tokenvault export --to pass --service git.example.com --username ada
      """)

  @OptionGroup var filters: FilterOptions
  @Option(
    name: .shortAndLong, help: "A file that does not exist yet, or - for standard output.",
    completion: .file())
  var output: String?
  @Flag(help: "Replace an existing file; with --to, other secrets in the store.")
  var force = false
  @Option(help: "The program into whose store secrets are written.")
  var to: StoreName?
  @Option(help: ArgumentHelp("With --to: only the secrets of this service.", valueName: "url"))
  var service: String?
  @Option(
    help: ArgumentHelp("With --to msal: an attribute of the item.", valueName: "name=value"))
  var attribute: [String] = []
  @Flag(help: "With --to: print what would be written, and change nothing.")
  var dryRun = false
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func validate() throws {
    if let to { return try validateStore(to) }
    if service != nil || dryRun || !attribute.isEmpty {
      throw ValidationError("--service, --attribute and --dry-run need --to.")
    }
    if force, output == nil { throw ValidationError("--force needs --output.") }
  }

  func run(in invocation: Invocation) throws {
    if let to { return try run(to: to, in: invocation) }
    let file = output == "-" ? nil : output
    guard file != nil || !invocation.answersToTerminal else {
      throw CommandError.exportNeedsTarget
    }
    let selection = try invocation.select(needsAccount: false)
    invocation.explain(selection)
    let cache = try CacheExport(
      invocation.vault(of: selection), progress: invocation.progress("Exporting accounts")
    ).run(AccountQuery(filters))
    let json: [UInt8]
    do { json = try cache.json() } catch { throw VaultError.cache(error) }
    guard let file else { return try invocation.answer(json + [UInt8(ascii: "\n")]) }
    try OutputFile.write(json, to: file, replacing: force)
    invocation.tell(
      "Wrote \(cache.tokens.count) tokens in plaintext to \(PlainText.escaped(file)).")
  }
}
