import ArgumentParser
import TokenVault
import TokenVaultModel
import TokenVaultSystem

struct UICommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "ui", abstract: "Show and manage the group in a full-screen view.",
    discussion: """
      Shows the current account, all accounts with the remaining time of their tokens, and a log. \
      Keys sign in, switch, get and refresh tokens, call an API, show claims, sign out, search, add \
      a secret and show another group; ? lists them. Changes by other tools appear automatically. \
      No token is ever shown.

      The view needs a terminal of at least 40x10. It needs neither colour nor a mouse, and works \
      over SSH.

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
    // A group that cannot be opened fails before anything is drawn, and a passphrase prompt appears
    // here.
    try work.open()
    // A line on standard error would be drawn into the view, which shows by itself that it waits.
    LongWait.observe(nil)
    try UILoop(invocation, work).run()
  }
}
