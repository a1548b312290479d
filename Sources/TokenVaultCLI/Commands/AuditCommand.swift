import ArgumentParser
import TokenVault
import TokenVaultModel
import TokenVaultPlaintext

struct AuditCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "Find tokens that other tools left in plaintext.",
    discussion: """
      Looks where az, git, gh, glab, docker, podman, npm, kubectl, gcloud, aws, cargo, pip, poetry, \
      twine, rclone and terraform keep their files, at copies beside them, and into .netrc. With \
      PATH, it looks below these directories, such as a repository of dotfiles, for files of these \
      names. It prints where a token is, whose, and who can read it, and never a part of a token.

      The exit status is 0 if there is none, 1 if there is one, and 74 if there is none in the files \
      that could be read, and others could not be.

      --import stores what a helper can use: passwords and tokens as `add` does, an MSAL cache as \
      `import` does. It replaces no other secret of the vault. --remove takes out what is in the \
      vault, asks before, and keeps every other byte of the file. The blocks of the disk may keep \
      the bytes, and so may backups: revoke a token that others could read.

      EXAMPLES
        tokenvault audit
        tokenvault audit ~/dotfiles --json
        tokenvault audit --import
        tokenvault audit --remove
      """)

  @Argument(help: "Directories, or files, to look at.", completion: .file())
  var paths: [String] = []
  @Flag(name: .customLong("import"), help: "Store what is found in the vault.")
  var imports = false
  @Flag(help: "Take out of the files what the vault has.")
  var remove = false
  @OptionGroup var confirmation: ConfirmationOption
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func validate() throws {
    if confirmation.yes, !remove { throw ValidationError("--yes needs --remove.") }
    if imports, remove { throw ValidationError("--import and --remove cannot be combined.") }
  }

  func run(in invocation: Invocation) throws {
    let audit = try Audit(paths, invocation)
    let vault = AuditVault(invocation)
    var report = AuditReport(audit: audit, now: invocation.now)
    if imports { report.imported = try vault.importing(audit) }
    if remove {
      var removal = try AuditRemoval(audit, vault)
      if !removal.chosen.isEmpty {
        try confirm(removal, of: report, in: invocation)
        removal.run()
      }
      report.removal = removal
    }
    if global.json {
      try invocation.answerJSON { report.write(to: &$0) }
    } else {
      try invocation.answer(Array(report.text.utf8))
      advise(report, in: invocation)
    }
    try end(report)
  }

  /// Shows what is taken out before the question.
  private func confirm(
    _ removal: AuditRemoval, of report: AuditReport, in invocation: Invocation
  ) throws {
    if !confirmation.yes {
      for index in report.audit.files.indices {
        let own = removal.chosen.filter { $0.file == index }.sorted { $0.secret < $1.secret }
        guard !own.isEmpty else { continue }
        Invocation.tell(PlainText.escaped(report.audit.files[index].place))
        for finding in own { Invocation.tell("  " + report.text(finding)) }
      }
    }
    let files = Set(removal.chosen.map(\.file)).count
    try confirmation.require(
      "Remove \(removal.chosen.count.counted("secret")) from \(files.counted("file"))?",
      in: invocation)
  }

  /// The next commands.
  private func advise(_ report: AuditReport, in invocation: Invocation) {
    guard !report.audit.findings.isEmpty else { return }
    if let removal = report.removal {
      let formats = Set(removal.chosen.map { report.audit.files[$0.file].content.format })
      for line in Set(formats.map(Self.helperAdvice)).sorted() { invocation.tell("next: \(line)") }
      for line in Set(formats.map { "to revoke (\($0.tool)): \($0.revocation)" }).sorted() {
        invocation.tell(line)
      }
      return
    }
    let places = paths.map { " " + PlainText.shellWord($0) }.joined()
    if let imported = report.imported {
      guard imported.values.contains(where: \.isInVault) else { return }
      invocation.tell("next: tokenvault audit --remove\(places)")
    } else {
      invocation.tell("next: tokenvault audit --import\(places)")
    }
  }

  /// The command that makes the tool ask the vault.
  private static func helperAdvice(_ format: PlaintextFormat) -> String {
    guard let helper = format.helper else { return "docs/audit.md" }
    if HelperSetup.tools[helper] != nil { return "tokenvault credential install \(helper)" }
    return "docs/tools/README.md has the lines for \(format.tool)"
  }

  /// An import alone is done when it has stored everything that it can.
  private func end(_ report: AuditReport) throws {
    if imports {
      let isConflict = report.imported?.values.contains { outcome in
        if case .conflict = outcome { true } else { false }
      }
      if isConflict == true { throw CommandError.diagnosis(.unexpected) }
      return
    }
    if !report.remaining.isEmpty { throw CommandError.diagnosis(.unexpected) }
    if !report.audit.unread.isEmpty { throw CommandError.diagnosis(.inputOutput) }
  }
}
