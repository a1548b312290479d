import ArgumentParser
import TokenVault
import TokenVaultModel

struct ExportCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write accounts and tokens as a cache that MSAL reads.",
    discussion: """
      The answer is full of tokens in the clear: it goes into a pipe, a redirection or the file \
      that --output names, with mode 0600, and never to a terminal. Stored secrets are left out.

      EXAMPLES
        tokenvault export --output cache.json
        tokenvault export --username ada@contoso.example | other-tool --read-cache
      """)

  @OptionGroup var filters: FilterOptions
  @Option(name: .shortAndLong, help: "A file that does not exist yet.", completion: .file())
  var output: String?
  @Flag(help: "Take the place of an existing file.")
  var force = false
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func validate() throws {
    if force, output == nil { throw ValidationError("--force needs --output.") }
  }

  func run(in invocation: Invocation) throws {
    guard output != nil || !invocation.answersToTerminal else {
      throw CommandError.exportNeedsTarget
    }
    let selection = try invocation.select(needsAccount: false)
    invocation.explain(selection)
    let cache = try CacheExport(invocation.vault(of: selection)).run(AccountQuery(filters))
    let json: [UInt8]
    do { json = try cache.json() } catch { throw VaultError.cache(error) }
    guard let output else { return try invocation.answer(json + [UInt8(ascii: "\n")]) }
    try OutputFile.write(json, to: output, replacing: force)
    invocation.tell(
      "Wrote \(cache.tokens.count) tokens in the clear to \(PlainText.escaped(output)).")
  }
}
