import ArgumentParser

struct PromptCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "prompt", abstract: "Print the account in force for the prompt of a shell.",
    discussion: """
      Prints the alias or the user name of the account that commands use here, and the group unless \
      it is the built-in one. The command asks for nothing, unlocks nothing and prints no error; if \
      the account cannot be read at once, it prints the group alone or nothing, and exits with 0.

      Letters, digits and @ . + - are printed, and everything else as _, so that a name can neither \
      run a command nor change the terminal, however the shell treats its prompt.

      EXAMPLES
        PS1='[$(tokenvault prompt)] \\w \\$ '
        tokenvault prompt --group com.example.team
      """)

  @OptionGroup(title: "Global options") var global: GlobalOptions

  func validate() throws {
    if global.json { throw ValidationError("prompt prints no JSON; use `tokenvault current`.") }
  }

  func run(in invocation: Invocation) throws {
    let text = PromptText(invocation).text
    if !text.isEmpty { try invocation.answer(text) }
  }
}
