/// The result of verifying every row of a group file.
package struct VerificationReport: Equatable, Sendable {
  package init() {}

  package var accounts = 0
  package var credentials = 0
  /// Accounts that do not open, or that have secrets that do not open.
  package var damagedAccounts = 0
  /// Rows that belong to no account: another program wrote to the file.
  package var strayRows = 0
  /// SQLite's report about the file's structure, or nil if it is sound.
  package var structure: String?

  /// Whether the record of the last backup and of the recovery code cannot be read.
  package var isHistoryDamaged = false

  /// Whether no problem was found.
  package var isSound: Bool { isComplete && !isHistoryDamaged }
  /// Whether everything but the history is sound: no account or token is affected.
  package var isComplete: Bool { damagedAccounts == 0 && strayRows == 0 && structure == nil }
}
