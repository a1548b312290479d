import Glibc
import TokenVault
import TokenVaultKeyCustody
import TokenVaultSystem

/// Takes the access of other users away from a file or directory of the vault.
///
/// Only what is encrypted and authenticated is corrected. Other users may have changed a manifest or
/// configuration that they could write, and may have read a key file; the user has to look at these.
struct FileModeCorrection {
  private let path: String

  /// Nil if the error is not about such a mode.
  init?(_ error: any Error) {
    guard case VaultError.store(.unsafe(let path, .wideMode), _) = error else { return nil }
    self.path = path
  }

  /// - Returns: The correction as a clause; nil if it failed.
  func apply() -> String? {
    let descriptor: Int32
    // absent is an answer: the finding then still has the fault, and the command that corrects it.
    do { descriptor = try SystemCalls.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) } catch {
      return nil
    }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_uid == geteuid(),
      fchmod(descriptor, status.st_mode & 0o700) == 0
    else { return nil }
    let former = String(status.st_mode & 0o777, radix: 8)
    return "\(PlainText.escaped(path)) had mode \(former), which let other users in"
  }
}
