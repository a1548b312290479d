import TokenVault
import TokenVaultKeyCustody
import TokenVaultModel

// MARK: The stores of other programs

extension Failure {
  /// An error of the Secret Service that is not about the key of a group.
  init(keyring error: CustodyError) {
    switch error {
    case .noBus:
      self.init(
        .unreachable, "There is no session bus, and so no Secret Service. Nothing was changed.",
        next: "log in to a desktop session, then \(Self.again())", code: error.code)
    case .noService:
      self.init(
        .unreachable,
        "No Secret Service is running on the session bus, and none can be started. Nothing was "
          + "changed.", next: "start one, such as gnome-keyring, then \(Self.again())",
        code: error.code)
    default:
      let failure = Failure(error, .secrets)
      self.init(
        failure.status, failure.message, next: failure.next ?? Self.doctor, note: failure.note,
        code: error.code)
    }
  }

  /// The program that keeps the store is not installed.
  static func missingStore(_ program: String, package: String) -> Failure {
    Failure(
      .notFound, "The program \(program) is not installed.",
      next: "sudo apt-get install \(package)",
      code: "missingProgram")
  }

  /// The store of a program does not exist.
  static func noStore(_ path: String, next: String = again("with another STORE")) -> Failure {
    Failure(.notFound, "There is no \(quoted(path)).", next: next, code: "noStore")
  }

  /// A file of another program that cannot be read.
  static func badStore(
    _ file: String, _ reason: String, next: String = again("with a file that its program wrote")
  ) -> Failure {
    Failure(
      .damaged, "\(quoted(file)) cannot be read: \(reason). Nothing was imported.", next: next,
      code: "badStore")
  }

  /// A program of a store failed as a whole.
  static func storeFailed(_ program: String, _ errors: [UInt8]) -> Failure {
    Failure(
      .inputOutput, "\(program) failed: \(lastLine(errors)). Nothing was imported.",
      next: again("when \(program) works by itself"), code: "programFailed")
  }

  /// `pass` did not remove an entry.
  static func storeKept(_ name: String, _ status: Int32, _ errors: [UInt8]) -> Failure {
    Failure(
      .inputOutput,
      "pass did not remove it, and ended with status \(status): \(lastLine(errors)). The vault has it.",
      next: "pass rm \(PlainText.shellWord(name))", code: "programFailed")
  }

  /// The store does not support `--remove` or `export`.
  static func storeRefuses(_ message: String, next: String? = nil) -> Failure {
    guard let next else { return Failure(usage: message, code: "storeRefuses") }
    return Failure(.usage, message, next: next, code: "storeRefuses")
  }

  /// The last line of a program's errors.
  static func lastLine(_ errors: [UInt8]) -> String {
    let lines = String(decoding: errors, as: UTF8.self).split(whereSeparator: \.isNewline)
    return lines.last.map { PlainText.escaped(String($0)) } ?? "it gave no reason"
  }

  /// Everything was printed already; an item of the store did not come in, or did not go out.
  static let itemsLeft = printed(.unexpected, code: "itemsLeft")
}
