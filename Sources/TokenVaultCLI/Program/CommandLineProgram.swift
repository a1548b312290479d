import ArgumentParser
import Glibc
import TokenVaultSystem

/// The entry point of the program.
package enum CommandLineProgram {
  /// Runs the command in the process's arguments, and exits.
  package static func main() -> Never {
    Invocation.holdStandardStreams()
    do {
      // Before anything secret is in memory.
      if !Debugging.isAllowed { try SystemCalls.makeUndumpable() }
    } catch {
      Invocation.tell(
        Failure(.unexpected, "Core dumps cannot be disabled for this process: \(error.call)."))
      exit(ExitStatus.unexpected.rawValue)
    }
    let arguments = Array(CommandLine.arguments.dropFirst())
    // Nothing is buffered, so exit(3) would only cost time.
    if let status = WarmToken.answer(arguments) { _exit(status.rawValue) }
    exit(run(arguments).rawValue)
  }

  private static func run(_ arguments: [String]) -> ExitStatus {
    let command: any ParsableCommand
    do { command = try TokenVaultCommand.parseAsRoot(arguments) } catch {
      return report(parsing: error)
    }
    guard let command = command as? any VaultCommand else { return help(command) }
    var invocation = Invocation.ofProcess()
    command.global.apply(to: &invocation.options)
    do {
      try command.run(in: invocation)
      return .done
    } catch {
      let failure = Failure(invocation.refined(error))
      Invocation.tell(failure)
      return failure.status
    }
  }

  /// A command that only has subcommands prints its help.
  private static func help(_ command: any ParsableCommand) -> ExitStatus {
    var command = command
    do {
      try command.run()
      return .done
    } catch { return report(parsing: error) }
  }

  private static func report(parsing error: any Error) -> ExitStatus {
    let text = TokenVaultCommand.fullMessage(for: error)
    let isHelp = TokenVaultCommand.exitCode(for: error).rawValue == EXIT_SUCCESS
    guard isHelp else {
      // The text repeats the arguments, which may contain anything.
      Invocation.tell("tokenvault: " + PlainText.escapedLines(text))
      return .usage
    }
    do {
      if !text.isEmpty { try Invocation.ofProcess().answer(text) }
      return .done
    } catch {
      let failure = Failure(error)
      Invocation.tell(failure)
      return failure.status
    }
  }
}
