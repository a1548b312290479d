import ArgumentParser
import Glibc
import TokenVault
import TokenVaultCrypto
import TokenVaultModel

struct AddCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Store a password or access token for a service.",
    discussion: """
      The secret is read from standard input or from a prompt that does not echo. One line end at \
      the end of standard input is removed. The secret is never an argument, because other users \
      can see arguments. It replaces the one that the user name has at the service; you are asked \
      first if you type it.

      Unless a group is named, it goes to dev.tokenvault.shared. `tokenvault token --service URL` \
      prints it, and `tokenvault request --service URL` sends it to the service.

      EXAMPLES
        tokenvault add --service https://git.example.com --username ada
        pass show git | tokenvault add --service git.example.com --username ada
        tokenvault add --service https://gitlab.example.com --username ada \\
            --auth bearer --expires 2027-01-31
      """)

  @Option(help: "The service's URL or host.")
  var service: String
  @Option(help: "The user name at the service.")
  var username: String
  @Option(
    help: ArgumentHelp(
      "When the service ends the secret: 90d, a date, or a time as 2027-01-31T12:00:00Z.",
      valueName: "time"))
  var expires: String?
  @Option(
    help: ArgumentHelp(
      "How `request` sends it: basic, with the user name, or bearer.",
      discussion: "Default: bearer for a token of GitHub or GitLab and a JSON Web Token, and basic "
        + "for others, or as the service demands."))
  var auth: ServiceAuthentication?
  @OptionGroup(title: "Global options") var global: GlobalOptions

  /// The longest secret: 1 MiB.
  private static let limit = 1 << 20

  private static let tooLarge = CommandError.secretTooLarge("Standard input", limit: limit)

  private static func standardInput() throws(CommandError) -> [UInt8] {
    do { return try InputFile.standardInput(limit: limit + 2) } catch {
      guard case .inputTooLarge = error else { throw error }
      throw tooLarge
    }
  }

  func run(in invocation: Invocation) throws {
    guard let url = ServiceURL(service) else { throw CommandError.badServiceURL(service) }
    guard ServiceSecrets.isStorable(username: username) else {
      throw CommandError.badUsername(username)
    }
    let end = try expires.map { text throws(CommandError) in
      guard let end = Expiry(text, now: invocation.now) else { throw .badExpiry(text) }
      return end.time
    }
    let selection = try invocation.selectGroupOfSecrets()
    invocation.explain(selection)
    let secrets = ServiceSecrets(try invocation.vault(of: selection))
    let secret = try secret(invocation, for: url, in: secrets)
    let (account, madeGroup, isReplaced) = try secrets.store(
      Redacted(secret), service: url, username: username, expiresOn: end, as: auth)
    invocation.tellOfNewGroup(madeGroup, selection.group)
    let line =
      "\(isReplaced ? "Replaced" : "Stored") the secret for "
      + "\(PlainText.escaped(account.shownName)) at \(PlainText.escaped(url.description))."
    if global.json {
      if isReplaced { invocation.tell(line) }
      return try invocation.answerJSON { account.write(to: &$0) }
    }
    try invocation.answer(line)
  }

  private func secret(
    _ invocation: Invocation, for url: ServiceURL, in secrets: ServiceSecrets
  ) throws -> [UInt8] {
    if isatty(STDIN_FILENO) == 1 {
      if invocation.options.mayAsk, try secrets.contains(service: url, username: username) {
        let name = "\(PlainText.escaped(username)) at \(PlainText.escaped(url.description))"
        try invocation.confirm("Replace the stored secret for \(name)?")
      }
      guard invocation.options.mayAsk,
        let typed = try PassphraseReading.hidden("Secret for \(username) at \(url.host): ")
      else { throw CommandError.secretNotNamed }
      return unsafe typed.withUnsafeBytes { unsafe Array($0) }
    }
    var read = try Self.standardInput()
    if read.last == UInt8(ascii: "\n") {
      read.removeLast()
      if read.last == UInt8(ascii: "\r") { read.removeLast() }
    }
    guard read.count <= Self.limit else { throw Self.tooLarge }
    guard !read.isEmpty else { throw CommandError.secretNotNamed }
    return read
  }
}
