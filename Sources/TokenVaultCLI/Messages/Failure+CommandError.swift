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
        "\(Self.quoted(text))\(source) is not a group name: use lower-case letters, digits and "
          + "hyphens in parts joined by dots.", next: "tokenvault group list")
    case .noHome:
      self.init(.configuration, "HOME is not set to an absolute path.", next: "export HOME=DIR")
    case .noWorkingDirectory:
      self.init(
        .notFound, "The working directory no longer exists, or its name is not UTF-8.", next: "cd")
    case .badVaultDirectory(let path, let fault):
      let text =
        switch fault {
        case .empty: "--vault-dir is empty: give the path of a directory."
        case .relative: "TOKENVAULT_HOME is not an absolute path: \(Self.quoted(path))."
        case .notADirectory: "\(Self.quoted(path)) is not a directory."
        }
      self.init(usage: text)
    case .notUTF8(let place):
      self.init(usage: "\(place) is not UTF-8 text. Nothing was changed.")
    case .unknownBrowser(let name):
      self.init(
        .usage, "The browser \(Self.quoted(name)) is not a program in PATH.",
        next: Self.again("with the path of a browser, or with --device-code"))
    case .output(let code):
      self.init(
        .inputOutput,
        "Cannot write to standard output: \(Self.reason(code)). Stored accounts are not affected.",
        next: Self.again("with its output to another place"))
    case .input(let path, let code):
      self.init(
        code == SystemMessage.noEntry ? .notFound : .inputOutput,
        "Cannot read \(Self.quoted(path)): \(Self.reason(code)). Nothing was changed.",
        next: code == SystemMessage.noEntry
          ? Self.again("with a path that exists") : "ls -ld \(PlainText.shellWord(path))")
    case .inputTooLarge(let path, let limit):
      self.init(
        .damaged, "\(Self.quoted(path)) is larger than \(Self.size(limit)); none of it was used.",
        next: Self.again("with a smaller file"))
    case .secretTooLarge(let source, let limit):
      self.init(usage: "\(source) has more than \(Self.size(limit)); nothing was stored.")
    case .fileExists(let path, let replacing):
      self.init(
        .cannotCreate, "\(Self.quoted(path)) already exists. Nothing was changed.",
        next: Self.again("with \(replacing.map { "\($0), or with " } ?? "")another name"))
    case .fileNotMade(let path, let code):
      let reason =
        code == SystemMessage.noEntry ? "its directory does not exist" : Self.reason(code)
      self.init(
        .cannotCreate, "Cannot create \(Self.quoted(path)): \(reason). Nothing was changed.",
        next: Self.lookAround(path))
    case .fileNotWritten(let path, let code):
      self.init(
        .inputOutput,
        "Cannot write \(Self.quoted(path)): \(Self.reason(code)). No partial file was left.",
        next: Self.lookAround(path))
    case .interrupted:
      self.init(.interrupted, "Interrupted; nothing was changed.", next: Self.again())
    case .confirmationNeeded(let obstacle):
      let reason =
        obstacle == .noInput ? "--no-input forbids the question" : "there is no terminal to ask on"
      self.init(
        .refused, "This command needs a confirmation, and \(reason). Nothing was changed.",
        next: Self.again("with --yes"))
    case .declined:
      self.init(
        .refused, "Not confirmed; nothing was changed.", next: Self.again("and answer y"))
    case .pickerNeedsTerminal:
      self.init(
        .usage, "There is no terminal to choose an account on; name the account.",
        next: "tokenvault switch ACCOUNT")
    case .screenNeedsTerminal:
      self.init(
        .usage,
        "The full-screen view needs a terminal that can move its cursor, but there is no terminal, "
          + "or TERM is unset or dumb.", next: "tokenvault list")
    case .accountNotNamed:
      self.init(
        .usage, "Name at least one account, or use --all.", next: "tokenvault sign-out ACCOUNT")
    case .accountNamedTwice:
      self.init(
        .usage, "Accounts and --all cannot be combined.", next: "tokenvault sign-out --all")
    case .exportNeedsTarget:
      self.init(
        .usage, "An export contains tokens, so it is not written to a terminal.",
        next: "tokenvault export --output FILE")
    case .secretNotNamed:
      self.init(
        .usage, "Standard input has no secret, and a prompt is not possible.",
        next: "tokenvault add --service URL --username NAME <FILE")
    case .secretNotPrintable:
      self.init(
        .usage, "The secret contains control characters that a terminal would interpret.",
        next: Self.again("with its output in a pipe or file"))
    case .secretNotText:
      self.init(
        .usage, "The secret is not UTF-8 text, and cannot be written as JSON.",
        next: Self.again("without --json"))
    case .badDuration(let text):
      self.init(
        usage:
          "\(Self.quoted(text)) is not a valid duration: write 90s, 5m, 8h or 2d, at most 365d.")
    case .badServiceURL(let text):
      self.init(
        usage:
          "\(Self.quoted(text)) is not a service. Give it as https://HOST, without user name, query "
          + "or " + "fragment.")
    case .badUsername(let name): self.init(usage: Self.usernameFault(name))
    case .badHeader(.own(let name), _):
      self.init(
        .usage, "The header \(PlainText.escaped(name)) cannot be set: tokenvault sets it.",
        next: Self.again("without it"))
    case .badHeader(.controlCharacter(let name), _):
      self.init(
        usage:
          "The value of the header \(PlainText.escaped(name)) contains a line break or another "
          + "control character.")
    case .badHeader(.form, let number):
      self.init(usage: "The value number \(number) of --header is not of the form 'Name: value'.")
    case .noScheme(let url):
      self.init(
        .usage, "\(Self.quoted(url)) has no scheme.",
        next: Self.again("with \(PlainText.shellWord("https://" + url))"))
    case .badExpiry(let text):
      self.init(
        usage:
          "\(Self.quoted(text)) is not a time in the future: write 90d, 2027-01-31 or "
          + "2027-01-31T12:00:00Z. Nothing was changed.")
    case .noSecret(let service, let name, let groups): self = Self.noSecret(service, name, groups)
    case .secretHasNoSignIn(let account):
      self.init(
        .usage, "\(Self.name(account)) is a stored secret, which has no sign-in.",
        next: Self.add(account))
    case .notASecret(let account):
      self.init(
        .usage, "\(Self.name(account)) is not a stored secret, and --auth is for these only.",
        next: Self.again("without --auth"))
    case .badMember(let text):
      self.init(usage: "\(Self.quoted(text)) is neither the path nor the bare name of a program.")
    case .badCustody(let text):
      self.init(
        usage: "\(Self.quoted(text)) is not a custody: use secret-service, passphrase or key-file."
      )
    case .keyFileNotNamed:
      self.init(
        .usage, "The custody key-file needs the path of a key file.",
        next: Self.again("with --key-file PATH"))
    case .badTitle: self.init(usage: "The title is empty or contains control characters.")
    case .optionsExclude(let one, let other):
      self.init(usage: "\(one) and \(other) cannot be combined.")
    case .groupNotNamed(let form):
      self.init(.usage, "Name the group and the file. Nothing was changed.", next: form)
    case .unknownGroup(let group, let resembling):
      let rest =
        resembling.map { ". Did you mean \($0)?" } ?? ": it has neither a file nor a manifest."
      self.init(
        .notFound, "There is no group \(group) on this machine\(rest)",
        next: "tokenvault group list")
    case .groupNotCreated(let group, let resembling?):
      self.init(
        .configuration,
        "There is no group \(group). Did you mean \(resembling)? Nothing was changed.",
        next: "tokenvault group list", note: "to create it: tokenvault group create \(group)")
    case .groupNotCreated(let group, nil):
      self.init(
        .configuration, "There is no group \(group). Nothing was changed.",
        next: "tokenvault group create \(group)")
    case .noAccount(let text, let group, let resembling):
      self.init(
        .notFound,
        "No account matches \(Self.quoted(text)) in the group \(group). Did you mean "
          + "\(PlainText.escaped(resembling))?", next: Self.command("list", group))
    case .prefixNotTaken(let text, let command, let account):
      let name = [account].shortestForms[0]
      self.init(
        .notFound,
        "\(Self.quoted(text)) is not a whole name, and \(command) takes no prefix. Did you mean "
          + "\(PlainText.escaped(name))?",
        next: Self.command("\(command) \(PlainText.shellWord(name))", account.group))
    case .nothingTo(let action, let group):
      self.init(
        .notFound, "The group \(group) has no file; there is nothing to \(action).",
        next: "tokenvault group list")
    case .groupDamaged(let group, let path):
      let file = PlainText.shellWord(path)
      self.init(
        .damaged, "The file of the group \(group) is damaged and cannot be read. It is unchanged.",
        next: "tokenvault group restore \(group) FILE",
        note: "without a backup: cp \(file) \(PlainText.shellWord(path + ".damaged")) && "
          + "tokenvault group delete \(group)")
    case .nothingSignedIn(let group):
      self.init(
        .signInNeeded, "No account is signed in to the group \(group) yet.",
        next: Self.firstSignIn(group), note: Self.otherProviders)
    case .unknownClient(let client, let account?, let group):
      let ids = account.clientIDs.map { "\n  \(PlainText.escaped($0))" }.joined()
      self.init(
        .notFound,
        "\(Self.name(account)) has no tokens of the client \(Self.quoted(client)). Nothing was "
          + "changed." + (ids.isEmpty ? "" : " Its clients:" + ids),
        next: ids.isEmpty ? Self.command("list", group) : Self.again("with one of these clients"))
    case .unknownClient(let client, nil, let group):
      self.init(
        .notFound,
        Self.noTokens(of: client) + " Nothing was changed.",
        next: Self.command("list", group))
    case .weakPassphrase:
      self.init(
        .usage, "The passphrase has fewer than 8 characters. Nothing was changed.",
        next: Self.again("with a longer one"),
        note: "group create and group rekey also take --weak")
    case .recoveryCodeNotGiven(let group):
      self.init(
        .refused,
        "The recovery code of the group \(group) is needed, and a prompt is not possible. "
          + "Nothing was changed.",
        next: "run the command on a terminal, or with --recovery-code-fd N")
    case .notABackup(let file, let group):
      self.init(
        .damaged,
        "\(Self.quoted(file)) is not a backup, or is damaged. The group \(group) is unchanged.",
        next: "tokenvault group restore \(group) OTHER-FILE")
    case .oldBackup(let file, let group, let generation, let newest):
      self.init(
        .damaged,
        "\(Self.quoted(file)) is from before a sign-out or rekey (generation \(generation), the "
          + "newest is \(newest)). The group \(group) is unchanged.",
        next: "tokenvault group restore \(group) NEWER-FILE")
    case .backupOfOther(let file, let group, let other?):
      let restore = "tokenvault group restore \(other) \(PlainText.shellWord(file))"
      self.init(
        .damaged,
        "\(Self.quoted(file)) is a backup of \(other), not of \(group). Nothing was changed.",
        next: restore, note: "or, if \(group) is a new group: \(restore) --as \(group)")
    case .backupOfOther(let file, let group, nil):
      self.init(
        .damaged,
        "\(Self.quoted(file)) is not a backup of the group \(group) that is on this machine. "
          + "Nothing was changed.",
        next: "tokenvault group restore \(group) \(PlainText.shellWord(file)) --as OTHER")
    case .backupKeyMissing(let file, let group, let hasRecoveryCode):
      let restore = "tokenvault group restore \(group) \(PlainText.shellWord(file))"
      self.init(
        .refused,
        "The key of the backup \(Self.quoted(file)) is not on this machine"
          + (hasRecoveryCode ? "." : ", and the backup has no recovery code.")
          + " The group \(group) is unchanged.",
        next: hasRecoveryCode ? "\(restore) --recovery-code" : Self.doctor)
    case .passphrasesDiffer:

      self.init(
        .refused, "The two passphrases differ. Nothing was changed.", next: Self.again())
    case .rowsDamaged(let count, let group):
      let rows = count.counted("account")
      self.init(
        .damaged,
        "\(rows) in the group \(group) cannot be read and \(count == 1 ? "is" : "are") "
          + "not shown. Nothing was changed.", next: "tokenvault group verify \(group)")
    case .notSound(let findings, let group):
      self.init(
        .damaged,
        "The file of the group \(group) is damaged: \(Self.text(findings)). It is unchanged.",
        next: "tokenvault group \(findings.isComplete ? "backup" : "restore") \(group) FILE")
    case .historyDamaged(let group):
      self.init(
        .damaged,
        "The history of the group \(group) is damaged: its last backup is not known. No account "
          + "is affected.", next: "tokenvault group backup \(group) FILE")
    case .notClean(let places, let group):
      let left = places.map(\.text).joined(separator: ", ")
      self.init(
        .inputOutput, "Signed out, but data may remain in: \(left).",
        next: "tokenvault list --group \(group)",
        note: "\(Self.triesAgain) If it fails, too: tokenvault doctor")
    case .filesNotClean(let files, let next):
      self.init(
        .unexpected,
        "Signed out, but not clean: \(files.map(Self.path).joined(separator: ", ")).",
        next: next ?? Self.again())
    case .noDirectoryRule(let directory):
      self.init(
        .notFound, "\(Self.quoted(directory)) has no rule of its own.",
        next: "tokenvault rule list")
    case .noProviderNamed(let path):
      self.init(
        .usage,
        "No provider is given, and \(Self.path(path)) sets none.",
        next: "tokenvault sign-in microsoft", note: Self.otherProviders)
    case .noProvider(let word, let resembling?):
      self.init(
        .notFound,
        "\(Self.quoted(word)) is neither a provider nor an account. Did you mean "
          + "\(PlainText.escaped(resembling))?",
        next: "tokenvault sign-in \(PlainText.shellWord(resembling))")
    case .noProvider(let word, nil):
      self.init(
        .notFound, "\(Self.quoted(word)) is neither a provider nor an account.",
        next: "tokenvault sign-in oidc URL",
        note: "providers: "
          + SignInProvider.forms(in: .ofProcess()).joined(separator: ", "))
    case .providerNeedsURL(let name):
      self.init(
        .usage, "Give the URL of the \(name) provider.",
        next: "tokenvault sign-in \(name) https://HOST")
    case .providerTakesNoURL(let name):
      self.init(
        .usage, "The provider \(name) takes no URL.",
        next: "tokenvault sign-in \(name)")
    case .notHTTPS(let url, let next):
      self.init(
        .usage, "\(PlainText.escaped(url)) is not https. Nothing was stored.", next: next)
    case .clientIDNeeded(let registration):
      self.init(.usage, registration.message, next: registration.next)
    case .signInUnknown(let need, let path):
      self.init(
        .usage,
        "No \(need.rawValue) is given: pass \(need.option), or set \(need.field) in "
          + "\(Self.path(path)).",
        next: "tokenvault sign-in --client-id ID --authority URL --scope SCOPE",
        note: #"or write "signIn": {"clientId": …, "authority": …, "scopes": […]} into that file"#)
    case .badClaims(let text):
      self.init(
        usage: "\(Self.quoted(text)) is not a claims request, which is a JSON object of objects.")
    case .diagnosis(let status), .groupsFailed(let status): self = .printed(status)
    }
  }

  private static func size(_ bytes: Int) -> String {
    bytes < 1 << 20 ? "\(bytes >> 10) KiB" : "\(bytes >> 20) MiB"
  }

  private static func usernameFault(_ name: String) -> String {
    if name.isEmpty { return "The user name is empty." }
    let bytes = name.utf8.count
    if bytes > ServiceSecrets.longestUsername {
      return
        "The user name has \(bytes) bytes; at most \(ServiceSecrets.longestUsername) are allowed."
    }
    return "The user name \(quoted(name)) contains a control character."
  }

  private static func text(_ findings: VerificationFindings) -> String {
    var parts: [String] = []
    if let structure = findings.structure {
      parts.append("SQLite reports \"\(PlainText.escaped(structure))\"")
    }
    if findings.damagedAccounts > 0 { parts.append(findings.damagedAccounts.counted("account")) }
    if findings.strayRows > 0 { parts.append(findings.strayRows.counted("stray row")) }
    if findings.isHistoryDamaged { parts.append("the history of the group") }
    return parts.joined(separator: ", ")
  }
}

extension SignInNeed {
  fileprivate var option: String {
    switch self {
    case .clientID: "--client-id"
    case .authority: "--authority"
    }
  }

  fileprivate var field: String {
    switch self {
    case .clientID: "signIn.clientId"
    case .authority: "signIn.authority"
    }
  }
}
