import TokenVault
import TokenVaultModel

/// What a person is told when something goes wrong: one sentence, the exit status, and the one
/// command to run next.
///
/// The `*Failure.swift` beside it have the text of every error there is. The switches have no
/// default, so that a new error does not compile before it has one.
struct Failure: Error {
  let status: ExitStatus
  /// Empty where everything was said before.
  let message: String
  let next: String?

  init(_ status: ExitStatus, _ message: String, next: String? = nil) {
    self.status = status
    self.message = message
    self.next = next
  }

  /// The same, told of one group among several.
  func of(_ group: GroupName) -> Failure {
    message.contains(group.description)
      ? self : Failure(status, "\(group): \(message)", next: next)
  }

  init(_ error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as CommandError: self.init(error)
    case let error as VaultError: self.init(error)
    default:
      self.init(.unexpected, "Something unexpected went wrong (\(type(of: error))).")
    }
  }
}

// MARK: The vault

extension Failure {
  init(_ error: VaultError) {
    switch error {
    case .noGroup(let group):
      self.init(
        .notFound, "The group \(group) has no file on this machine.",
        next: Self.command("sign-in", group))
    case .groupExists(let group):
      self.init(
        .cannotCreate, "The group \(group) exists already.", next: "tokenvault group show \(group)")
    case .noManifest(let group):
      self.init(
        .configuration, "No manifest describes the group \(group).",
        next: "tokenvault group create \(group)")
    case .badManifest(let file, let fault):
      self.init(
        .configuration, "\(Self.path(file)) cannot be used: \(Self.text(fault)).",
        next: "tokenvault doctor")
    case .notAMember(let executable, let group):
      self.init(
        .refused, "\(Self.quoted(executable)) is not a member of the group \(group).",
        next: "tokenvault group members \(group) --add \(PlainText.shellWord(executable))")
    case .noAccount(let text, let group):
      self.init(
        .notFound, "No account of the group \(group) answers to \(Self.quoted(text)).",
        next: Self.command("list", group))
    case .noAccountForDirectory(let directory, let group):
      self.init(
        .notFound,
        "The rule of \(Self.quoted(directory)) names an account that the group \(group) does not have "
          + "any more.",
        next: "cd \(PlainText.shellWord(directory)) && tokenvault switch --here --forget")
    case .ambiguousAccount(let text, let candidates):
      self.init(
        .usage,
        "\(Self.quoted(text)) may be any of \(candidates.count) accounts:"
          + Self.listed(candidates),
        next: "the same command with one of these ID//ENVIRONMENT")
    case .ambiguousCurrentAccount(let candidates, let group):
      self.init(
        .usage,
        "\(candidates.count) accounts are signed in and none was chosen:" + Self.listed(candidates),
        next: Self.command("switch ACCOUNT", group))
    case .noCurrentAccount(let empty, let group):
      self.init(
        empty == .allSignedOut ? .signInNeeded : .notFound,
        "There is no current account: \(Self.text(empty)).",
        next: Self.next(empty, group))
    case .interactionRequired(let why, let account, let group):
      self.init(why, account, group)
    case .scopesRequired(let stored, let account):
      self.init(
        .usage,
        "\(Self.name(account)) has tokens for several scopes; name those that are needed:"
          + stored.map { "\n  \(PlainText.escaped($0))" }.joined(),
        next: Self.command(
          "token --scope SCOPE --account \(PlainText.shellWord(account.shownName))", account.group))
    case .sharedDeviceOccupied(let account):
      self.init(
        .refused, "This device is shared, and \(Self.name(account)) is signed in.",
        next: Self.command(
          "sign-out \(PlainText.shellWord(account.shownName))", account.group))
    case .sharedDeviceTakesOne(let given):
      self.init(
        .refused, "This device is shared and takes one account; \(given) were given.",
        next: "tokenvault device")
    case .aliasTaken(let alias, let account):
      self.init(
        .usage, "The alias \(Self.quoted(alias)) is taken by \(Self.name(account)).",
        next: Self.command("alias \(PlainText.shellWord(alias)) --remove", account.group))
    case .invalid(let field):
      self.init(.usage, "The \(field.rawValue) is \(Self.text(field)).")
    case .olderFile(let group, let generation, let newest):
      self.init(
        .damaged,
        "The file of the group \(group) is a copy from before a sign-out or rekey "
          + "(generation \(generation), the newest is \(newest)); its key is gone for good.",
        next: "tokenvault group restore FILE, with a newer copy")
    case .foreignBackup(let group):
      self.init(
        .damaged, "This is a backup of another group than the \(group) of this machine.",
        next: "tokenvault group show \(group)")
    case .store(let error, let group): self = Self.store(error, group)
    case .custody(let error, let group): self.init(error, group)
    case .cache(let error): self.init(error)
    case .keyFileNotCreated(let path, let errno):
      self.init(CommandError.fileNotMade(path: path, errno: errno))
    case .file(let file, let call, let errno):
      self.init(.inputOutput, "\(Self.path(file)): \(call): \(Self.reason(errno)).")
    case .clientRequired(let stored, let account):
      self.init(
        .usage,
        "\(Self.name(account)) has several clients; name the one that is meant:"
          + stored.map { "\n  \(PlainText.escaped($0))" }.joined(),
        next: "the same command with --client-id ID")
    case .accountOfOtherIssuer(let group):
      self.init(
        .refused,
        "Another issuer at this host has an account with the same subject; it is not replaced.",
        next: Self.command("list", group))
    case .signIn(let error): self.init(error)
    case .prompt(let error): self.init(error)
    case .unexpected(let type):
      self.init(.unexpected, "Something unexpected went wrong (\(type)).")
    }
  }

  /// - Parameter command: the sign-in that helps; nil where no more is known than the account.
  init(
    _ why: InteractionReason, _ account: Account, _ group: GroupName, signIn command: String? = nil
  ) {
    let who = Self.name(account)
    let next = command ?? Self.signInNext(account, group)
    let message: String =
      switch why {
      case .noToken: "\(who) has no stored token for what was asked."
      case .expired(let end):
        "The stored token of \(who) has ended, or ends too soon"
          + (end.map { " (\($0.iso8601))." } ?? ".")
      case .signedOut: "The client was signed out of \(who)."
      case .newTokenRequested:
        "A stored token of \(who) will not do, and a new one needs a sign-in."
      case .otherTenant(let tenants):
        "\(who) has a token for other tenants only: "
          + tenants.map(PlainText.escaped).joined(separator: ", ") + "."
      case .refused(let error):
        "The provider wants \(who) to sign in again: \(Self.text(error))."
      case .unknownAuthority: "It is not known which provider signed \(who) in."
      }
    if case .otherTenant(let tenants) = why, let tenant = tenants.first {
      self.init(
        .signInNeeded, message,
        next: Self.command("token --tenant \(PlainText.shellWord(tenant))", group))
    } else {
      self.init(.signInNeeded, message, next: next)
    }
  }

  /// Where it is not known who signed the account in, that is the business of the tool that the
  /// account came from; then its cache is read.
  private static func signInNext(_ account: Account, _ group: GroupName) -> String {
    let azureCLI = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
    if account.clientIDs.contains(azureCLI) {
      return "az login && " + Self.command("import ~/.azure/msal_token_cache.json", group)
    }
    return "sign in with the tool that keeps the account, then "
      + Self.command("import FILE", group) + ", FILE being that tool's token cache"
  }

  static func text(_ empty: EmptyReason) -> String {
    switch empty {
    case .groupDoesNotExist: "the group has no file on this machine"
    case .noAccounts: "the group holds no account"
    case .allSignedOut: "every account of the group is signed out"
    case .noneForClient: "the client is signed in to no account, though other clients are"
    case .noneMatches: "accounts are there, but none fulfils the conditions"
    case .onlyInOtherGroups(let groups):
      "the group has no file; other groups have: "
        + groups.map(\.description).joined(separator: ", ")
    }
  }

  /// The reason as a sentence of its own.
  static func sentence(_ empty: EmptyReason) -> String {
    let text = text(empty)
    return text.prefix(1).uppercased() + text.dropFirst() + "."
  }

  static func next(_ empty: EmptyReason, _ group: GroupName) -> String {
    switch empty {
    case .groupDoesNotExist, .noAccounts, .allSignedOut: Self.command("sign-in", group)
    case .noneForClient, .noneMatches: Self.command("list", group)
    case .onlyInOtherGroups: "tokenvault list --all-groups"
    }
  }

  private static func text(_ fault: ManifestFault) -> String {
    switch fault {
    case .notJSON: "it is not a JSON object"
    case .unknownField(let field): "it has the unknown field \(Self.quoted(field))"
    case .missingField(let field): "the field \(Self.quoted(field)) is missing"
    case .badValue(let field): "the value of \(Self.quoted(field)) is not allowed"
    case .nameMismatch: "the name in it is not the file's name"
    case .unsafe: "others may write it, or it is not your own regular file"
    case .tooLarge: "it has more than 64 KiB"
    }
  }

  private static func text(_ field: VaultError.Field) -> String {
    switch field {
    case .alias: "not one that can be stored: no spaces or control characters, 128 bytes at most"
    case .service: "not an http or https URL"
    case .username: "empty, too long, or has control characters"
    case .secret: "empty"
    case .passphrase: "empty"
    case .directory: "not an absolute path without control characters"
    case .recoveryCode: "not one"
    }
  }
}
