package import TokenVault
package import TokenVaultModel

/// What goes wrong in the command line itself, before or after the vault is asked.
package enum CommandError: Error, Sendable {
  case vault(VaultError)
  case badGroupName(String, from: Selection.Rule)
  /// Neither HOME nor the directories of the XDG specification are set.
  case noHome
  case noWorkingDirectory
  /// The standard output does not take the answer.
  case output(errno: Int32)
  case input(path: String, errno: Int32)
  case inputTooLarge(path: String, limit: Int)
  case fileExists(path: String)
  case fileNotMade(path: String, errno: Int32)
  case fileNotWritten(path: String, errno: Int32)
  case interrupted
  /// Something that is asked before is asked with `--no-input`, and without `--yes`.
  case confirmationNeeded
  /// The user said no.
  case declined
  case pickerNeedsTerminal
  /// There is none, or it cannot move its cursor (`TERM=dumb`).
  case screenNeedsTerminal
  case accountNotNamed
  case accountNamedTwice
  case exportNeedsTarget
  case secretNotNamed
  /// A secret with control characters is not shown on a terminal.
  case secretNotPrintable
  case badDuration(String)
  case badServiceURL(String)
  case badMember(String)
  case badCustody(String)
  case keyFileNotNamed
  case badTitle
  case optionsExclude(String, String)
  case passphrasesDiffer
  case rowsDamaged(Int, group: GroupName)
  case notSound(VerificationFindings, group: GroupName)
  /// Something of a signed-out account is left; the places were printed.
  case notClean([SignOutReport.Place], group: GroupName)
  case noDirectoryRule(String)
  /// A sign-in needs this of who asks or of the configuration file, whose path stands beside it.
  case signInUnknown(SignInNeed, configuration: String)
  /// An option that is no object of JSON.
  case badClaims(String)
  /// What a diagnosis found first; all of it was printed.
  case diagnosis(ExitStatus)
  /// Several groups failed; each was told of.
  case groupsFailed(ExitStatus)
}

/// What a sign-in cannot do without.
package enum SignInNeed: String, Sendable {
  case clientID = "client id"
  case authority
}
