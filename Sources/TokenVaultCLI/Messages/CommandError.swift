package import TokenVault
package import TokenVaultModel

/// An error of the command line itself, before or after the vault is used.
package enum CommandError: Error, Sendable {
  case vault(VaultError)
  case badGroupName(String, from: Selection.Rule)
  /// Neither HOME nor the directories of the XDG specification are set.
  case noHome
  case noWorkingDirectory
  /// `--vault-dir` or TOKENVAULT_HOME.
  case badVaultDirectory(String, SelectionError.DirectoryFault)
  /// An argument, by its number, or a variable, by its name.
  case notUTF8(String)
  /// The program of `--browser` is not in PATH.
  case unknownBrowser(String)
  /// Standard output cannot be written.
  case output(errno: Int32)
  case input(path: String, errno: Int32)
  case inputTooLarge(path: String, limit: Int)
  /// A secret that was to be stored, or a passphrase, by its source.
  case secretTooLarge(String, limit: Int)
  /// The option that replaces the file, if there is one.
  case fileExists(path: String, replacing: String? = nil)
  case fileNotMade(path: String, errno: Int32)
  case fileNotWritten(path: String, errno: Int32)
  case interrupted
  /// The command needs a confirmation, has no `--yes`, and cannot ask.
  case confirmationNeeded(NoQuestion)
  /// The user answered no.
  case declined
  case pickerNeedsTerminal
  /// There is no terminal, or it cannot move its cursor (`TERM=dumb`).
  case screenNeedsTerminal
  case accountNotNamed
  case accountNamedTwice
  case exportNeedsTarget
  case secretNotNamed
  /// A secret with control characters is never written to a terminal.
  case secretNotPrintable
  /// A secret that is not UTF-8 text cannot be written in JSON.
  case secretNotText
  case badDuration(String)
  case badServiceURL(String)
  /// A user name that cannot be stored.
  case badUsername(String)
  /// The value of `--header` with this number, counted from 1. It may contain a secret.
  case badHeader(HeaderFault, number: Int)
  /// A URL without `https://`.
  case noScheme(String)
  /// The value of `--expires` is no time in the future.
  case badExpiry(String)
  /// No group that was searched has a secret of the service.
  case noSecret(of: String, named: String?, groups: [GroupName])
  /// The account is a stored secret, which no provider signs in.
  case secretHasNoSignIn(Account)
  /// `--auth` with the account of a provider.
  case notASecret(Account)
  case badMember(String)
  case badCustody(String)
  case keyFileNotNamed
  case badTitle
  case optionsExclude(String, String)
  /// A backup or restore without the group's name; the form is the right one.
  case groupNotNamed(form: String)
  /// The group has neither a file nor a manifest; a known one with a similar name.
  case unknownGroup(GroupName, resembling: GroupName? = nil)
  /// The same, and the command would store into the group.
  case groupNotCreated(GroupName, resembling: GroupName?)
  /// No account has the name; another account has a similar one.
  case noAccount(String, group: GroupName, resembling: String)
  /// The name is a prefix, and the command takes none because it erases; the account.
  case prefixNotTaken(String, command: String, Account)
  /// The group has no file that the command could work on; the action as a verb.
  case nothingTo(String, group: GroupName)
  /// Nothing of the group's file, at this path, can be read.
  case groupDamaged(GroupName, path: String)
  /// The group has a manifest but no file, and a token was requested.
  case nothingSignedIn(GroupName)
  /// No account has anything of the client that is to be signed out; the account, if one is named.
  case unknownClient(String, of: Account?, group: GroupName)
  case weakPassphrase
  /// A recovery code was to be read, and there is neither a terminal nor a descriptor.
  case recoveryCodeNotGiven(GroupName)
  /// The file is not a backup, or is damaged.
  case notABackup(String, group: GroupName)
  /// The backup is from before a sign-out or rekey.
  case oldBackup(String, group: GroupName, generation: UInt64, newest: UInt64)
  /// The backup is of another group; nil if its name is not known.
  case backupOfOther(String, group: GroupName, other: GroupName?)
  /// The key that the group had when the backup was made is not on this machine.
  case backupKeyMissing(String, group: GroupName, hasRecoveryCode: Bool)
  case passphrasesDiffer
  case rowsDamaged(Int, group: GroupName)
  case notSound(VerificationFindings, group: GroupName)
  /// The record of the last backup cannot be read.
  case historyDamaged(group: GroupName)
  /// Data of a signed-out account remains; the report that names the places has been printed.
  case notClean([SignOutReport.Place], group: GroupName)
  /// `sign-out --strict`: imported files that the report names are not clean.
  case filesNotClean([String], next: String?)
  case noDirectoryRule(String)
  /// A sign-in names neither a provider nor an account, and the configuration file has no client.
  case noProviderNamed(configuration: String)
  /// The word is neither a provider nor an account; the name of the provider that it resembles.
  case noProvider(String, resembling: String?)
  case providerNeedsURL(String)
  case providerTakesNoURL(String)
  /// The URL of a provider or authority is not https; the next command.
  case notHTTPS(String, next: String)
  /// The provider has no client id that anybody may use, and no earlier sign-in provides one.
  case clientIDNeeded(ClientRegistration)
  /// A sign-in needs a value that neither the command nor the configuration file, whose path is
  /// `configuration`, provides.
  case signInUnknown(SignInNeed, configuration: String)
  /// The value of `--claims` is not a JSON object of objects.
  case badClaims(String)
  /// The exit status of the first failed check of a diagnosis that has been printed.
  case diagnosis(ExitStatus)
  /// The exit status of the first group that failed; each failure has been printed.
  case groupsFailed(ExitStatus)
}

/// The reason why a header cannot be sent. The name is that of its field.
package enum HeaderFault: Sendable {
  /// tokenvault sets the field itself.
  case own(String)
  /// The value has a line break or another control character.
  case controlCharacter(String)
  case form
}

/// A value that every sign-in needs.
package enum SignInNeed: String, Sendable {
  case clientID = "client id"
  case authority
}

/// The reason why a question cannot be asked.
package enum NoQuestion: Sendable {
  /// `--no-input`.
  case noInput
  case noTerminal
}

extension CommandError {
  init(_ error: SelectionError) {
    self =
      switch error {
      case .badGroupName(let text, let source): .badGroupName(text, from: source)
      case .badVaultDirectory(let path, let fault): .badVaultDirectory(path, fault)
      case .noWorkingDirectory: .noWorkingDirectory
      case .vault(let error): .vault(error)
      }
  }
}
