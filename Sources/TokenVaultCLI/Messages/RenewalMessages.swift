import Glibc
import TokenVault
import TokenVaultModel

/// Messages on standard error while and after a group gets new keys.
enum RenewalMessages {
  /// Below this number of accounts, a renewal takes less than a second.
  private static let least = 1000

  /// Draws a line with the progress, on a terminal only.
  static func progress() -> (Int, Int) -> Void {
    guard isatty(STDERR_FILENO) == 1 else { return { _, _ in } }
    return { done, all in
      guard all >= least, done % 100 == 0 || done == all else { return }
      let line = "Encrypting the accounts with new keys: \(done) of \(all)"
      // The end of the line is erased with the text, so that the next message replaces it.
      let end = done == all ? "\r" + String(repeating: " ", count: line.count) + "\r" : ""
      Invocation.draw("\r" + line + end)
    }
  }

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
