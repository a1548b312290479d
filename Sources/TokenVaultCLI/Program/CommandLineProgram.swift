import ArgumentParser
import Glibc
import TokenVault
import TokenVaultSystem

/// The entry point of the program.
package enum CommandLineProgram {
  /// Runs the command in the process's arguments, and exits.
  package static func main() -> Never {
    StandardStreams.hold()
    do {
      // Before anything secret is in memory.
      if !Debugging.isAllowed { try SystemCalls.makeUndumpable() }
    } catch {
      Invocation.tell(
        Failure(
          .unexpected,
          "Core dumps cannot be disabled for this process: \(Failure.reason(error.errno)). Nothing was "
            + "changed.", next: "uname -r"))
      exit(ExitStatus.unexpected.rawValue)
    }
    let words = ProcessArguments.texts()
    if let helper = HelperProgram(words) { _exit(helper.run()) }
    let arguments = Array(words.dropFirst())
    // Nothing is buffered, so exit(3) would only cost time.
    if let status = PromptText.answer(arguments) { _exit(status.rawValue) }
    exit(run(arguments).rawValue)
  }

  private static func run(_ arguments: [String]) -> ExitStatus {
    if let place = notUTF8(arguments) {
      Invocation.tell(
        Failure(CommandError.notUTF8(place) as any Error)
          .withHelp(of: CommandWords(arguments).text),
        asJSON: arguments.contains("--json"))
      return .usage
    }
    if arguments.prefix(while: { $0 != "--" }).contains(where: { ["-V", "--version"].contains($0) })
    {
      return print(PublicClientApplication.version)
    }
    let command: any ParsableCommand
    do { command = try TokenVaultCommand.parseAsRoot(arguments) } catch {
      return report(parsing: error, of: arguments)
    }
    guard let command = command as? any VaultCommand else { return help(command, arguments) }
    var invocation = Invocation.ofProcess()
    command.global.apply(to: &invocation.options)
    invocation.options.command = CommandWords(arguments).text
    invocation.reportLongWaits()
    command.custodyOptions?.apply(to: &invocation.options)
    do {
      try command.run(in: invocation)
      invocation.typedPassphrase.offerUnlock(invocation)
      return .done
    } catch {
      let failure = Failure(invocation.refined(error)).withHelp(of: invocation.options.command)
      Invocation.tell(failure, asJSON: invocation.options.isJSON)
      return failure.status
    }
  }

  /// The argument or variable whose bytes are not UTF-8. Swift replaces such bytes, and the text
  /// would name another account or file.
  private static func notUTF8(_ arguments: [String]) -> String? {
    for (index, text) in arguments.enumerated() where text.unicodeScalars.contains("\u{fffd}") {
      guard ProcessArguments.isUTF8(index + 1) else { return "Argument \(index + 1)" }
    }
    for name in ["TOKENVAULT_ACCOUNT", "TOKENVAULT_GROUP", "TOKENVAULT_HOME"] {
      if let value = unsafe getenv(name), unsafe String(validatingCString: value) == nil {
        return name
      }
    }
    return nil
  }

  /// A command that only has subcommands prints its help.
  private static func help(
    _ command: any ParsableCommand, _ arguments: [String]
  ) -> ExitStatus {
    var command = command
    do {
      try command.run()
      return .done
    } catch { return report(parsing: error, of: arguments) }
  }

  private static func report(parsing error: any Error, of arguments: [String]) -> ExitStatus {
    let isUnknown = CommandWords(arguments).unknown != nil
    guard TokenVaultCommand.exitCode(for: error).rawValue == EXIT_SUCCESS,
      !(isUnknown && CommandWords.askForHelp(arguments))
    else {
      return UsageError(error, arguments).tell()
    }
    let text = TokenVaultCommand.fullMessage(for: error)
    guard !text.isEmpty else { return .done }
    let isScript = arguments.contains { $0.hasPrefix("--generate-completion-script") }
    return print(isScript ? CompletionScript.withAliases(text) : HelpText.ordered(text))
  }

  private static func print(_ text: String) -> ExitStatus {
    do {
      try Invocation.ofProcess().answer(text)
      return .done
    } catch {
      let failure = Failure(error)
      Invocation.tell(failure)
      return failure.status
    }
  }
}
