import TokenVaultCredentialHelpers
import TokenVaultSignIn

// MARK: The configuration of other programs

extension Failure {
  static func unknownHelper(_ name: String) -> Failure {
    guard HelperProtocol.named(name) == nil else {
      return Failure(
        .usage, "\(name) has no installation: see docs/tools for what to set in the tool.",
        next: "tokenvault credential status", code: "unknownHelper")
    }
    let near =
      Spelling.nearest(to: name, in: HelperSetup.names)
      .map { " Did you mean \($0)?" } ?? ""
    return Failure(
      .usage, "There is no helper \(quoted(name)).\(near)", next: "tokenvault credential status",
      code: "unknownHelper")
  }

  /// A secret has a service, which is an address without a query.
  static func placeNotStorable(_ address: HTTPURL) -> Failure {
    Failure(
      .usage,
      "No secret can be stored for an address with a query, or of more than 2048 bytes: "
        + "\(address.origin). Nothing was stored.",
      next: "tokenvault add --service \(address.origin) --username NAME", code: "badService")
  }

  static func unknownHelperOption(_ option: String, _ name: String) -> Failure {
    Failure(
      .usage, "The helper has no option \(quoted(option)).",
      next: "tokenvault help credential",
      note: "The options of the helper are --group, --account, --vault-dir and -v.",
      code: "unknownHelper")
  }

  static func hostNotTaken(_ name: String) -> Failure {
    Failure(
      .usage, "\(name) asks the vault for every host, and takes no --host.",
      next: "tokenvault credential install \(name)", code: "unknownHelper")
  }

  static let subscription = Failure(
    .usage, "The tenant of a subscription is not known here.",
    next: again("with --tenant in the place of --subscription"), code: "unknownSubscription")

  static let noHome = Failure(
    .configuration, "The variable HOME is not set to an absolute path.",
    next: "export HOME=DIR", code: "noHome")

  static func missingProgram(_ name: String) -> Failure {
    Failure(
      .notFound, "The program \(name) is not installed.", next: "sudo apt-get install \(name)",
      code: "missingProgram")
  }

  static func refusedByProgram(_ name: String, _ errors: String) -> Failure {
    let reason =
      errors.split(separator: "\n").last.map { ": \(PlainText.escaped(String($0)))" } ?? ""
    return Failure(
      .inputOutput, "\(name) failed\(reason). Its configuration is unchanged.",
      next: "tokenvault credential status", code: "programFailed")
  }

  /// A configuration file that cannot be changed without losing something.
  static func unreadableConfiguration(_ file: String) -> Failure {
    Failure(
      .configuration, "\(quoted(file)) is not a JSON object. It is unchanged.",
      next: "$EDITOR \(PlainText.shellWord(file))", code: "foreignConfiguration")
  }

  /// A text file that has a section of its own for what would be added.
  static func takenConfiguration(_ file: String, _ text: String) -> Failure {
    let lines = text.split(separator: "\n").map { "\n  \($0)" }.joined()
    return Failure(
      .configuration,
      "\(quoted(file)) has such a section already. It is unchanged. The lines would be:\(lines)",
      next: "$EDITOR \(PlainText.shellWord(file))", code: "foreignConfiguration")
  }

  /// The place of a link is taken.
  static func foreignProgram(_ path: String) -> Failure {
    Failure(
      .cannotCreate, "\(quoted(path)) is a file of another program. Nothing was changed.",
      next: again("with --programs and another directory of PATH"), code: "foreignProgram")
  }

  /// The name that a helper would take belongs to another program.
  static func foreignProgram(_ name: String, at path: String) -> Failure {
    Failure(
      .refused, "\(quoted(path)) is another program named \(name). Nothing was changed.",
      next: again("with --force to put the helper in front of it"), code: "foreignProgram")
  }

  static func foreignConfiguration(_ file: String, _ path: [String]) -> Failure {
    Failure(
      .configuration,
      "\(quoted(path.joined(separator: "."))) in \(quoted(file)) is not text. It is unchanged.",
      next: "$EDITOR \(PlainText.shellWord(file))", code: "foreignConfiguration")
  }
}
