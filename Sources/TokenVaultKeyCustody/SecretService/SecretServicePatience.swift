internal import TokenVaultSystem

/// How long a conversation waits for the service, and whether for the user.
struct SecretServicePatience {
  /// Whether the service may show a dialog. No deadline runs meanwhile.
  let allowPrompt: Bool
  /// The time for everything else.
  let milliseconds: Int

  var deadline: Deadline { Deadline(milliseconds: milliseconds) }
}
