import TokenVault
import TokenVaultModel

/// Messages on standard error while and after a group gets new keys.
enum RenewalMessages {
  /// What `Invocation.progress` says meanwhile.
  static let label = "Encrypting the accounts with new keys"

  /// The effects of a renewal that its result does not show.
  static func lines(_ report: RenewalReport, _ group: GroupName) -> [String] {
    var lines: [String] = []
    if let path = report.replacedKeyFile {
      lines.append("The key file \(Failure.quoted(path)) has new content.")
    }
    if report.keepsPassphrase {
      lines.append("The passphrase is the former one: anyone who knows it can open the group.")
    }
    for (count, noun) in [
      (report.unreadable, "account"), (report.unreadableCredentials, "token"),
    ] where count > 0 {
      lines.append(
        count == 1
          ? "1 damaged \(noun) could not be read before and remains unreadable."
          : "\(count) damaged \(noun)s could not be read before and remain unreadable.")
    }
    if !report.logIsEmpty {
      lines.append(
        "Another process still reads the former rows. The next command removes them from the file.")
    }
    return lines
  }
}
