import TokenVault
import TokenVaultModel

// MARK: The command line's own errors

extension Failure {
  init(_ error: CommandError) {
    switch error {
    case .vault(let error): self.init(error)
    case .badGroupName(let text, let rule):
      let source = rule == .variable ? " (TOKENVAULT_GROUP)" : ""
      self.init(
        .usage,
        "\(Self.quoted(text))\(source) is not a group name: lower-case letters, digits and hyphens in "
          + "parts joined by dots.", next: "tokenvault group list")
    case .noHome:
      self.init(.configuration, "HOME is not set to an absolute path.", next: "export HOME=DIR")
    case .noWorkingDirectory:
      self.init(.notFound, "The working directory is gone.", next: "cd")
    case .output(let code):
      self.init(
        .inputOutput, "The answer cannot be written: \(SystemMessage.text(code)).")
    case .input(let path, let code):
      self.init(
        code == SystemMessage.noEntry ? .notFound : .inputOutput,
        "\(Self.quoted(path)): \(SystemMessage.text(code)).")
    case .inputTooLarge(let path, let limit):
      let most = limit < 1 << 20 ? "\(limit >> 10) KiB" : "\(limit >> 20) MiB"
      self.init(.damaged, "\(Self.quoted(path)) has more than \(most); nothing of it was taken.")
    case .fileExists(let path):
      self.init(
        .cannotCreate, "\(Self.quoted(path)) exists already.",
        next: "the same command with another name"
      )
    case .fileNotMade(let path, let code):
      self.init(.cannotCreate, "\(Self.quoted(path)): \(SystemMessage.text(code)).")
    case .fileNotWritten(let path, let code):
      self.init(
        .inputOutput, "\(Self.quoted(path)): \(SystemMessage.text(code)); nothing was left.")
    case .interrupted: self.init(.interrupted, "Interrupted; nothing was changed.")
    case .confirmationNeeded:
      self.init(
        .usage, "This has to be confirmed, and --no-input forbids to ask.",
        next: "the same command with --yes")
    case .declined: self.init(.refused, "Nothing was done.")
    case .pickerNeedsTerminal:
      self.init(
        .usage, "Without a terminal to choose on, the account has to be named.",
        next: "tokenvault switch ACCOUNT")
    case .screenNeedsTerminal:
      self.init(
        .usage,
        "The full-screen view needs a terminal that can move its cursor: none is here, or TERM is "
          + "unset or dumb.", next: "tokenvault list")
    case .accountNotNamed:
      self.init(
        .usage, "Name at least one account, or --all.", next: "tokenvault sign-out ACCOUNT")
    case .accountNamedTwice:
      self.init(.usage, "Accounts and --all exclude each other.", next: "tokenvault sign-out --all")
    case .exportNeedsTarget:
      self.init(
        .usage, "An export is full of tokens and is not shown on a terminal.",
        next: "tokenvault export --output FILE")
    case .secretNotNamed:
      self.init(
        .usage, "There is no secret on the standard input, and nobody can be asked.",
        next: "tokenvault add --service URL --username NAME <FILE")
    case .secretNotPrintable:
      self.init(
        .usage, "The secret has control characters, which a terminal would act upon.",
        next: "the same command into a pipe or file")
    case .badDuration(let text):
      self.init(.usage, "\(Self.quoted(text)) is not a length of time like 90s, 5m, 8h or 2d.")
    case .badServiceURL(let text):
      self.init(
        .usage, "\(Self.quoted(text)) is not an http or https URL without user, query and fragment."
      )
    case .badMember(let text):
      self.init(.usage, "\(Self.quoted(text)) is neither an executable's path nor its bare name.")
    case .badCustody(let text):
      self.init(.usage, "\(Self.quoted(text)) is not secret-service, passphrase or key-file.")
    case .keyFileNotNamed:
      self.init(
        .usage, "The custody key-file needs a file.",
        next: "the same command with --key-file PATH")
    case .badTitle: self.init(.usage, "The title is empty or has control characters.")
    case .optionsExclude(let one, let other):
      self.init(.usage, "\(one) and \(other) exclude each other.")
    case .passphrasesDiffer:
      self.init(.refused, "The two passphrases differ.", next: "the same command again")
    case .rowsDamaged(let count, let group):
      let rows = count == 1 ? "1 account" : "\(count) accounts"
      self.init(
        .damaged, "\(rows) of the group \(group) cannot be read and are not shown.",
        next: "tokenvault group verify \(group)")
    case .notSound(let findings, let group):
      self.init(
        .damaged, "The file of the group \(group) is damaged: \(Self.text(findings)).",
        next: "tokenvault group restore FILE")
    case .notClean(let places, let group):
      let left = places.map(\.rawValue).joined(separator: ", ")
      self.init(
        .inputOutput, "Signed out, but something may be left in: \(left).",
        next: "tokenvault list --group \(group), which tries again; then tokenvault doctor")
    case .noDirectoryRule(let directory):
      self.init(
        .notFound, "\(Self.quoted(directory)) has no rule of its own.", next: "tokenvault which")
    case .signInUnknown(let need, let path):
      self.init(
        .usage,
        "No \(need.rawValue) is known to sign in with: neither the command names one nor "
          + "\(Self.path(path)).",
        next: "tokenvault sign-in --client-id ID --authority URL --scope SCOPE, or write "
          + #""signIn": {"clientId": …, "authority": …, "scopes": […]} into that file"#)
    case .badClaims(let text):
      self.init(.usage, "\(Self.quoted(text)) is not a claims request: a JSON object of objects.")
    case .diagnosis(let status): self.init(status, "")
    case .groupsFailed(let status): self.init(status, "")
    }
  }

  private static func text(_ findings: VerificationFindings) -> String {
    var parts: [String] = []
    if let structure = findings.structure {
      parts.append("SQLite says \"\(PlainText.escaped(structure))\"")
    }
    if findings.damagedAccounts > 0 { parts.append("\(findings.damagedAccounts) accounts") }
    if findings.strayRows > 0 { parts.append("\(findings.strayRows) stray rows") }
    return parts.joined(separator: ", ")
  }
}
