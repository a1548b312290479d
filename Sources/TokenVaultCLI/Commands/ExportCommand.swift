import ArgumentParser
import TokenVault
import TokenVaultModel

struct ExportCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write accounts and tokens as a token cache for MSAL.",
    discussion: """
      The export contains tokens in plaintext. It is written to a pipe, a redirection or the file \
      given by --output (mode 0600), and never to a terminal; `--output -` is standard output. Stored secrets are not exported.

      EXAMPLES
        tokenvault export --output cache.json
        tokenvault export --username ada@contoso.example | other-tool --read-cache
      """)

  @OptionGroup var filters: FilterOptions
  @Option(
    name: .shortAndLong, help: "A file that does not exist yet, or - for standard output.",
    completion: .file())
  var output: String?
  @Flag(help: "Replace an existing file.")
  var force = false
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func validate() throws {
    if force, output == nil { throw ValidationError("--force needs --output.") }
  }

  func run(in invocation: Invocation) throws {
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
