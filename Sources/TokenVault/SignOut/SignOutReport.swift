public import TokenVaultModel

/// What a sign-out did, place by place.
public struct SignOutReport: Sendable {
  /// A place where something of the accounts was or may have been.
  public enum Place: String, Sendable, CaseIterable {
    /// The accounts' rows and their keys in the group file.
    case groupFile = "group file"
    /// The write-ahead log beside the group file.
    case log = "write-ahead log"
    /// The group's former key in the Secret Service.
    case secretService = "former key in the Secret Service"
    /// The group's former key in the kernel keyring.
    case kernelKeyring = "former key in the kernel keyring"
    /// Sealed copies of the group file that a creation or restore left when it was cut short.
    case staleCopies = "copies that a crash left"
    /// Rules that choose the accounts for a directory.
    case directoryRules = "directory rules"
  }

  /// One place and what became of it.
  public struct Entry: Sendable {
    /// Where.
    public let place: Place
    /// Whether nothing of the accounts is left there.
    public let isClean: Bool
    /// What was done, or why it could not be; never a secret.
    public let detail: String
  }

  /// The accounts that were signed out.
  public let accounts: [Account]
  /// Every place that was looked at.
  public let entries: [Entry]
  /// What the providers were told, by account and client.
  public internal(set) var revocations: [Revocation] = []
  /// What became of the providers' sessions in the browser.
  public internal(set) var browserSessions: [BrowserSession] = []
  /// Whether nothing is left anywhere on this machine.
  public var isClean: Bool { entries.allSatisfy(\.isClean) }
}
