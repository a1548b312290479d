import TokenVault
import TokenVaultModel

// MARK: The vault

extension Failure {
  init(_ error: VaultError) {
    switch error {
    case .homeNotSet: self.init(CommandError.noHome)
    case .noGroup(let group):
      self.init(
        .notFound, "The group \(group) has no file yet: no account is signed in to it.",
        next: Self.firstSignIn(group), note: Self.otherProviders)
    case .groupExists(let group):
      self.init(
        .cannotCreate, "The group \(group) already exists. Nothing was changed.",
        next: "tokenvault group show \(group)")
    case .noManifest(let group):
      self.init(
        .configuration, "The group \(group) has no manifest.",
        next: "tokenvault doctor --fix")
    case .badManifest(let file, let fault):
      self.init(
        .configuration, "\(Self.path(file)) cannot be used: \(Self.text(fault)).",
        next: fault == .unsafe
          ? "ls -l \(PlainText.shellWord(file))" : "$EDITOR \(PlainText.shellWord(file))")
    case .notAMember(let executable, let group):
      self.init(
        .refused,
        "\(Self.quoted(executable)) is not a member of the group \(group). Nothing was changed.",
        next: "tokenvault group members \(group) --add \(PlainText.shellWord(executable))")
    case .noAccount(let text, let group): self = Self.noAccount(text, group)
    case .noAccountForDirectory(let directory, let group):
      self = Self.noAccount(forDirectory: directory, group)
    case .ambiguousAccount(let text, let candidates):
      self = Self.ambiguousAccount(text, candidates)
    case .ambiguousCurrentAccount(let candidates, let group):
      self = Self.ambiguousCurrentAccount(candidates, group)
    case .noCurrentAccount(let reason, let group): self = Self.noCurrentAccount(reason, group)
    case .interactionRequired(let reason, let account, let group):
      self.init(reason, account, group)
    case .scopesRequired(let stored, let account):
      self.init(
        .usage,
        "\(Self.name(account)) has tokens for several scopes; name the scopes you need:"
          + stored.map { "\n  \(PlainText.escaped($0))" }.joined(),
        next: Self.command(
          "token --scope SCOPE --account \(PlainText.shellWord(account.shownName))", account.group))
    case .clientRequired(let stored, let account):
      self.init(
        .usage,
        "\(Self.name(account)) has tokens from several clients; name one:"
          + stored.map { "\n  \(PlainText.escaped($0))" }.joined(),
        next: Self.again("with --client-id ID"))
    case .sharedDeviceOccupied(let account):
      self.init(
        .refused,
        "This device is shared, and \(Self.name(account)) is already signed in. Nothing was changed.",
        next: Self.command(
          "sign-out \(PlainText.shellWord(account.shownName))", account.group))
    case .sharedDeviceTakesOne(let given):
      self.init(
        .refused,
        "This device is shared and accepts one account; \(given) were given. Nothing was changed.",
        next: "tokenvault device")
    case .sharedDeviceRequiresBrowser(let group):
      self.init(
        .refused,
        "This device is shared, and no account is signed in. The next person has to enter the "
          + "password, and a sign-in with a code cannot require that. Nothing was changed.",
        next: Self.command("sign-in", group))
    case .aliasTaken(let alias, let account):
      self.init(
        .usage, "The alias \(Self.quoted(alias)) is taken by \(Self.name(account)).",
        next: Self.command("alias \(PlainText.shellWord(alias)) --remove", account.group))
    case .invalid(let field):
      self.init(usage: "The \(field.rawValue) is \(Self.text(field)).")
    case .olderFile(let group, let generation, let newest):
      self.init(
        .damaged,
        "The file of the group \(group) is a copy from before a sign-out or rekey "
          + "(generation \(generation), the newest is \(newest)); its key has been destroyed. The "
          + "file is unchanged.",
        next: "tokenvault group restore \(group) NEWER-FILE")
    case .foreignBackup(let group, let other?):
      self.init(
        .damaged, "This is a backup of \(other), not of \(group). Nothing was changed.",
        next: "tokenvault group restore \(other) FILE",
        note: "or, if \(group) is a new group, with --as \(group)")
    case .foreignBackup(let group, nil):
      self.init(
        .damaged,
        "This is not a backup of the group \(group) that is on this machine. Nothing was changed.",
        next: "tokenvault group restore \(group) FILE --as OTHER")
    case .store(let error, let group): self.init(error, group)
    case .custody(let error, let group): self.init(error, group)
    case .cache(let error): self.init(error)
    case .keyFileNotCreated(let path, let errno):
      self.init(CommandError.fileNotMade(path: path, errno: errno))
    case .keyFileNotReplaceable(let file, let group):
      self.init(
        .refused,
        "The key file \(Self.path(file)) cannot get new content: tokenvault did not create it for "
          + "this group alone, or you may not write it. Nothing was changed.",
        next: "tokenvault group rekey \(group) --key-file NEW-FILE")
    case .file(let file, let call, let errno):
      self.init(
        call == "mkdir" ? .cannotCreate : .inputOutput,
        "Cannot \(Self.verb(call)) \(Self.path(file)): \(Self.reason(errno)). Nothing else was "
          + "changed.", next: Self.lookAround(file))
    case .notInFile(let path):
      self.init(
        .notFound, "No such account is in \(Self.path(path)).",
        next: Self.again("with another account or file"))
    case .ambiguousInFile(let path, let candidates):
      self.init(
        .usage,
        "The name matches \(candidates.count) accounts in \(Self.path(path)):"
          + candidates.map { "\n  \(PlainText.shellWord($0))" }.joined(),
        next: Self.again("with one of these names"))
    case .fileInUse(let path):
      self.init(
        .busy, "Another program is using \(Self.path(path)); the file is unchanged.",
        next: Self.again())
    case .accountOfOtherIssuer(let account):
      self.init(
        .refused,
        "The file has \(Self.name(account)) from another issuer than the group has. Nothing was "
          + "imported. If the file is right, sign the account out and import again.",
        next: Self.command("sign-out \(PlainText.shellWord(account.selector))", account.group))
    case .signedInElsewhere(let account, let issuer, let requested):
      self.init(
        .refused,
        "\(Self.name(account)) is in the group already, signed in at \(PlainText.escaped(issuer)). The "
          + "sign-in at \(PlainText.escaped(requested)) was not stored, and nothing was replaced. Sign "
          + "the account out first, or sign in to another group.",
        next: Self.command("sign-out \(PlainText.shellWord(account.selector))", account.group))
    case .refreshTokenNotStored(let cause, let account, let group):
      self.init(
        Failure(cause).status,
        "The provider replaced the refresh token of \(Self.name(account)), and the new one could not "
          + "be stored: \(Self.cause(cause)). The sign-in may be lost; other accounts are not affected.",
        next: Self.command("sign-in \(PlainText.shellWord(account.shownName))", group))
    case .otherService(let service, let requested):
      self.init(
        .refused,
        "The stored secret is for \(PlainText.escaped(service)) only, and this URL is not there. "
          + "Nothing was sent to \(PlainText.escaped(requested)).",
        next: Self.again("with a URL that begins with \(PlainText.escaped(service))"))
    case .secretNotSendable("refresh_token"):
      self.init(
        .usage, "The stored secret is a refresh token, which only its own client may use.",
        next: "tokenvault sign-in oidc URL --client-id ID")
    case .secretNotSendable(let scheme):
      let reason =
        scheme == "Basic" ? "the user name has a colon" : "it has spaces or characters beyond ASCII"
      self.init(
        .usage, "The stored secret cannot be sent as \(scheme): \(reason). Nothing was sent.",
        next: Self.again("with --auth \(scheme == "Basic" ? "bearer" : "basic")"))
    case .signIn(let error): self.init(error)
    case .prompt(let error): self.init(error)
    case .unexpected(let type):
      self.init(
        .unexpected, "An unexpected error occurred (\(type)). Earlier changes are kept.",
        next: Self.doctor)
    }
  }

  /// The reason why a token could not be stored, as a clause.
  private static func cause(_ error: VaultError) -> String {
    switch error {
    case .store(.diskFull, _): return "the disk is full"
    case .store(.busy, _), .store(.generationChanged, _): return "other processes use the group"
    case .store(.readOnly, _): return "the group's file cannot be written"
    default:
      let message = Failure(error).message
      return message.hasSuffix(".") ? String(message.dropLast()) : message
    }
  }

  /// The action that a system call stands for.
  private static func verb(_ call: String) -> String {
    switch call {
    case "mkdir": "create"
    case "unlink": "remove"
    case "write", "rename", "renameat2", "fsync", "ftruncate", "fchmod", "fchown", "link", "linkat":
      "write"
    default: "read"
    }
  }

  private static func text(_ field: VaultError.Field) -> String {
    switch field {
    case .alias: "not valid: at most 128 bytes, without spaces, control characters, @ and //"
    case .service: "not an http or https URL"
    case .username: "empty, too long, or contains control characters"
    case .secret: "empty"
    case .passphrase: "empty"
    case .directory: "not an absolute path without control characters"
    case .recoveryCode: "not valid"
    }
  }
}
