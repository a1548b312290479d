import ArgumentParser

/// `--yes`, for commands that destroy something.
struct ConfirmationOption: ParsableArguments {
  @Flag(
    help: ArgumentHelp(
      "Do not ask for confirmation.",
      discussion: "Without a terminal to ask on, and with --no-input, the command needs it."))
  var yes = false

  /// Asks the question on the controlling terminal, unless `--yes` answers it.
  func require(_ question: String, in invocation: Invocation) throws(CommandError) {
    if !yes { try invocation.confirm(question) }
  }
}
