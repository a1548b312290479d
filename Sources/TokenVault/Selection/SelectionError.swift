/// An option, variable or directory of the process from which no group can be selected.
package enum SelectionError: Error, Sendable {
  case badGroupName(String, from: Selection.Rule)
  /// The value of an option or variable for the directory of the vaults.
  case badVaultDirectory(String, DirectoryFault)
  case noWorkingDirectory
  case vault(VaultError)

  /// The reason why a directory of the vaults cannot be used.
  package enum DirectoryFault: Sendable {
    case empty
    case relative
    case notADirectory
  }
}
