public import TokenVaultModel

/// The result of a sign-out, place by place.
public struct SignOutReport: Sendable {
  /// A place that had, or may have had, data of the accounts.
  public enum Place: String, Sendable, CaseIterable {
    /// The accounts' rows and their keys in the group file.
    case groupFile = "group file"
    /// The write-ahead log beside the group file.
    case log = "write-ahead log"
    /// The keyring's part of the group's former key.
    case secretService = "former key in the Secret Service"
    /// This device's part of the group's former key.
    case devicePart = "former device part of the key"
    /// The group's former key in the kernel keyring.
    case kernelKeyring = "former key in the kernel keyring"
    /// Encrypted copies of the group file that an interrupted creation or restore left.
    case staleCopies = "copies that a crash left"
    /// The rules that say where an account is used.
    case directoryRules = "directory rules"
    /// A file that was imported into the group. It belongs to another tool, and a sign-out does not
    /// change it.
    case importedFile = "imported file"
  }

  /// One place and its state.
  public struct Entry: Sendable {
    /// The place.
    public let place: Place
    /// Whether no data of the accounts is left there.
    public let isClean: Bool
    /// The step that was taken, or the reason why it failed; never a secret.
    public let detail: String
    /// The path of an imported file; nil for other places.
    public internal(set) var file: String?
    /// The account that is still in the imported file; nil if none is.
    public internal(set) var account: Account?
    /// The client that was signed out of that account; nil if the account was erased.
    package internal(set) var clientID: String?
  }

  /// The accounts that were signed out.
  public let accounts: [Account]
  /// Those of `accounts` that other clients keep: only the tokens of the client that signed out are
  /// erased. An account whose last client signs out is erased as a whole.
  public internal(set) var keptAccounts: [Account] = []
  /// Every place that was checked.
  public let entries: [Entry]
  /// The results of the revocations, by account and client.
  public internal(set) var revocations: [Revocation] = []
  /// The hosts of the providers that were not asked to revoke the accounts' tokens, because the
  /// options exclude it.
  package internal(set) var unasked: [String] = []
  /// The results of ending the providers' sessions in the browser.
  public internal(set) var browserSessions: [BrowserSession] = []
  /// Whether no data is left in the group, its keys and rules. Imported files do not count: the
  /// entries say whether an account is still in one.
  public var isClean: Bool { entries.allSatisfy { $0.isClean || $0.place == .importedFile } }
  /// The imported files that still have an account, or that cannot be read.
  package var uncleanFiles: [Entry] { entries.filter { $0.place == .importedFile && !$0.isClean } }
}
