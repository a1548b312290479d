import ArgumentParser
import TokenVault

/// The program and its commands.
struct TokenVaultCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tokenvault",
    abstract: "Accounts and tokens in encrypted groups, shared by your tools.",
    discussion: """
      The tokens of your accounts live in keychain groups: one encrypted file each, its key in the \
      Secret Service. Sign in, list the accounts, switch between them, hand out their tokens, sign out \
      for good.

      EXAMPLES
        tokenvault sign-in
        tokenvault import ~/.azure/msal_token_cache.json
        tokenvault list
        tokenvault switch ada@contoso.example
        tokenvault token --scope User.Read
        tokenvault sign-out ada@contoso.example

      EXIT STATUS
        0 done, 1 unexpected, 4 sign-in needed, 64 usage, 65 damaged data, 66 not found, \
      69 Secret Service or provider unreachable, 73 cannot create, 74 input or output, 75 busy, \
      76 the provider refused, 77 locked or refused, 78 bad manifest or configuration, 130 interrupted
      """,
    version: PublicClientApplication.version,
    subcommands: [
      SignInCommand.self, ListCommand.self, SwitchCommand.self, CurrentCommand.self,
      WhichCommand.self,
      TokenCommand.self, RequestCommand.self, AddCommand.self, AliasCommand.self,
      SignOutCommand.self,
      GroupCommand.self, ImportCommand.self, ExportCommand.self, DeviceCommand.self,
      DoctorCommand.self, UICommand.self, RedirectCommand.self,
    ])

  @OptionGroup(title: "Global options") var global: GlobalOptions
}
