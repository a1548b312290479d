import ArgumentParser

/// The program and the list of its commands.
struct TokenVaultCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tokenvault",
    abstract: "Keep accounts and tokens in encrypted groups that your tools share.",
    discussion: """
      The tokens of your accounts are kept in keychain groups. Each group is one encrypted file; its \
      key is in the Secret Service unless you choose another custody. Sign in, list accounts, switch \
      between them, get their tokens, and sign out.

      EXAMPLES
        tokenvault sign-in
        tokenvault import ~/.azure/msal_token_cache.json
        tokenvault list
        tokenvault switch ada@contoso.example
        tokenvault token --scope User.Read
        tokenvault sign-out ada@contoso.example

      EXIT STATUS
         0  success             73  cannot create
         1  unexpected error    74  input or output error
         4  sign-in required    75  busy, try again
        64  usage error         76  the provider returned an error
        65  damaged data        77  locked, refused or wrong passphrase
        66  not found           78  bad manifest or configuration
        69  unreachable        130  interrupted
      69: the Secret Service or the provider cannot be reached.
      """,
    subcommands: [
      SignInCommand.self, StatusCommand.self, ListCommand.self, SwitchCommand.self,
      CurrentCommand.self,
      WhichCommand.self,
      TokenCommand.self, RequestCommand.self, AddCommand.self, AliasCommand.self,
      ForecastCommand.self, OpenCommand.self, PromptCommand.self, SignOutCommand.self,
      RuleCommand.self, GroupCommand.self, ImportCommand.self, ExportCommand.self,
      AuditCommand.self,
      CredentialCommand.self, MailAuthCommand.self, DeviceCommand.self,
      DoctorCommand.self, UICommand.self, RedirectCommand.self,
    ])

  @OptionGroup(title: "Global options") var global: GlobalOptions
}
