import ArgumentParser
import TokenVault
import TokenVaultModel

struct UICommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "ui", abstract: "Show the group on the whole screen, and work with it by keys.",
    discussion: """
      Who is signed in, the accounts with the time that each token has left, and a log. Keys sign \
      in, switch, get and refresh tokens, call an API, show claims and sign out; ? lists them. What \
      other tools do with the group shows by itself. No token is ever shown.

      It needs a terminal of 40x10 or more, and neither colour nor a mouse; it works over SSH.

      EXAMPLES
        tokenvault ui
        tokenvault ui --group com.example.shared
        NO_COLOR=1 tokenvault ui
      """)

  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    if global.noInput { throw CommandError.optionsExclude("ui", "--no-input") }
    if global.json { throw CommandError.optionsExclude("ui", "--json") }
    guard invocation.canFillScreen else { throw CommandError.screenNeedsTerminal }
    let selection = try invocation.select(needsAccount: false)
    let work = try UIWork(invocation, selection.group)
    // What keeps the group from being opened is said before anything is drawn; a passphrase is
    // asked for here.
    try work.open()
    try UILoop(invocation, work).run()
  }
}
