import KeyCustody
import TokenVault
import VaultModel

/// What a person is told when something goes wrong: one sentence, the exit status, and the one
/// command to run next.
///
/// This file has the text of every error there is. The switches have no default, so that a new
/// error does not compile before it has one.
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

/// Words that many messages have in common.
private func quoted(_ text: String) -> String { "\"\(PlainText.escaped(text))\"" }
private func path(_ path: String) -> String { path.isEmpty ? "the file" : quoted(path) }
private func name(_ account: Account) -> String { PlainText.escaped(account.shownName) }
private func reason(_ code: Int32) -> String { SystemMessage.text(code) }

private func command(_ words: String, _ group: GroupName) -> String {
  group == .universalStorage ? "tokenvault \(words)" : "tokenvault \(words) --group \(group)"
}

private func listed(_ accounts: [Account]) -> String {
  accounts.map { account in
    let name = name(account)
    let id = PlainText.escaped(account.identifier)
    return "\n  \(name)  \(id)  \(PlainText.escaped(account.environment))"
  }.joined()
}

// MARK: The vault

extension Failure {
  init(_ error: VaultError) {
    switch error {
    case .noGroup(let group):
      self.init(
        .notFound, "The group \(group) has no file on this machine.",
        next: command("import FILE", group))
    case .groupExists(let group):
      self.init(
        .cannotCreate, "The group \(group) exists already.", next: "tokenvault group show \(group)")
    case .noManifest(let group):
      self.init(
        .configuration, "No manifest describes the group \(group).",
        next: "tokenvault group create \(group)")
    case .badManifest(let file, let fault):
      self.init(
        .configuration, "\(path(file)) cannot be used: \(Self.text(fault)).",
        next: "tokenvault doctor")
    case .notAMember(let executable, let group):
      self.init(
        .refused, "\(quoted(executable)) is not a member of the group \(group).",
        next: "tokenvault group members \(group) --add \(PlainText.shellWord(executable))")
    case .noAccount(let text, let group):
      self.init(
        .notFound, "No account of the group \(group) answers to \(quoted(text)).",
        next: command("list", group))
    case .noAccountForDirectory(let directory, let group):
      self.init(
        .notFound,
        "The rule of \(quoted(directory)) names an account that the group \(group) does not have "
          + "any more.",
        next: "cd \(PlainText.shellWord(directory)) && tokenvault switch --here --forget")
    case .ambiguousAccount(let text, let candidates):
      self.init(
        .usage,
        "\(quoted(text)) may be any of \(candidates.count) accounts:" + listed(candidates),
        next: "the same command with one of these home account ids")
    case .ambiguousCurrentAccount(let candidates, let group):
      self.init(
        .usage,
        "\(candidates.count) accounts are signed in and none was chosen:" + listed(candidates),
        next: command("switch ACCOUNT", group))
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
        "\(name(account)) has tokens for several scopes; name those that are needed:"
          + stored.map { "\n  \(PlainText.escaped($0))" }.joined(),
        next: "tokenvault token --scope SCOPE --account \(PlainText.shellWord(account.shownName))")
    case .sharedDeviceOccupied(let account):
      self.init(
        .refused, "This device is shared, and \(name(account)) is signed in.",
        next: command(
          "sign-out \(PlainText.shellWord(account.shownName))", account.group))
    case .sharedDeviceTakesOne(let given):
      self.init(
        .refused, "This device is shared and takes one account; \(given) were given.",
        next: "tokenvault device")
    case .aliasTaken(let alias, let account):
      self.init(
        .usage, "The alias \(quoted(alias)) is taken by \(name(account)).",
        next: command("alias \(PlainText.shellWord(alias)) --remove", account.group))
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
    case .file(let file, let call, let errno):
      self.init(.inputOutput, "\(path(file)): \(call): \(reason(errno)).")
    case .unexpected(let type):
      self.init(.unexpected, "Something unexpected went wrong (\(type)).")
    }
  }

  private init(_ why: InteractionReason, _ account: Account, _ group: GroupName) {
    let who = name(account)
    let next = Self.signInNext(account, group)
    switch why {
    case .noToken:
      self.init(.signInNeeded, "\(who) has no stored token for what was asked.", next: next)
    case .expired(let end):
      let when = end.map { " (\($0.iso8601))" } ?? ""
      self.init(
        .signInNeeded, "The stored token of \(who) has ended, or ends too soon\(when).",
        next: next)
    case .signedOut:
      self.init(.signInNeeded, "The client was signed out of \(who).", next: next)
    case .newTokenRequested:
      self.init(
        .signInNeeded, "A stored token of \(who) will not do, and a new one needs a sign-in.",
        next: next)
    case .otherTenant(let tenants):
      self.init(
        .signInNeeded,
        "\(who) has a token for other tenants only: "
          + tenants.map(PlainText.escaped).joined(separator: ", ") + ".",
        next: tenants.first.map {
          command("token --tenant \(PlainText.shellWord($0))", group)
        } ?? next)
    }
  }

  /// The sign-in is the business of the tool that the account came from; then its cache is read.
  private static func signInNext(_ account: Account, _ group: GroupName) -> String {
    let azureCLI = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
    if account.clientIDs.contains(azureCLI) {
      return "az login && " + command("import ~/.azure/msal_token_cache.json", group)
    }
    return "sign in with the tool that keeps the account, then "
      + command("import FILE", group) + ", FILE being that tool's token cache"
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
    case .groupDoesNotExist, .noAccounts, .allSignedOut: command("import FILE", group)
    case .noneForClient, .noneMatches: command("list", group)
    case .onlyInOtherGroups: "tokenvault list --all-groups"
    }
  }

  private static func text(_ fault: ManifestFault) -> String {
    switch fault {
    case .notJSON: "it is not a JSON object"
    case .unknownField(let field): "it has the unknown field \(quoted(field))"
    case .missingField(let field): "the field \(quoted(field)) is missing"
    case .badValue(let field): "the value of \(quoted(field)) is not allowed"
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

// MARK: The group file, the key and the cache

extension Failure {
  private static func store(_ error: StoreFault, _ group: GroupName) -> Failure {
    let verify = "tokenvault group verify \(group)"
    switch error {
    case .notFound(let file):
      return Failure(.notFound, "\(path(file)) does not exist.", next: command("list", group))
    case .exists(let file):
      return Failure(.cannotCreate, "\(path(file)) exists already.")
    case .unsafe(let file, let fault):
      let (text, next) = text(fault, file)
      return Failure(.refused, "\(path(file)) is not safe to use: \(text).", next: next)
    case .notAGroupFile(let file):
      return Failure(.damaged, "\(path(file)) is not a group file.", next: "tokenvault doctor")
    case .unsupportedVersion(let version):
      return Failure(
        .damaged,
        "The group \(group) is in format version \(version), which is newer than this "
          + "program.", next: "tokenvault --version, and install a newer one")
    case .damaged(let rows):
      let what = rows.map { "\($0) of its accounts cannot be read" } ?? "it does not fit together"
      return Failure(.damaged, "The file of the group \(group) is damaged: \(what).", next: verify)
    case .wrongKey:
      return Failure(
        .refused, "The key, passphrase or code is not that of the group \(group).",
        next: "tokenvault doctor")
    case .generationChanged, .busy:
      return Failure(
        .busy, "Other processes keep the group \(group) busy.", next: "the same command again")
    case .accountGone:
      return Failure(
        .notFound, "The account was signed out of the group \(group) meanwhile.",
        next: command("list", group))
    case .tooLarge(let limit):
      return Failure(.usage, "A value has more than \(limit) bytes.")
    case .diskFull:
      return Failure(.inputOutput, "The disk is full; nothing was changed.", next: "df -h")
    case .readOnly(let file):
      return Failure(
        .inputOutput, "\(path(file)) cannot be written; nothing was changed.",
        next: "tokenvault doctor")
    case .io(let call, let code):
      let text = code < 1000 ? reason(code) : "SQLite's code \(code - 1000)"
      return Failure(.inputOutput, "\(call): \(text).", next: "tokenvault doctor")
    case .crypto:
      return Failure(.unexpected, "A cryptographic operation failed.", next: "tokenvault doctor")
    }
  }

  private static func text(_ fault: UnsafePath, _ file: String) -> (String, String) {
    let file = PlainText.shellWord(file)
    switch fault {
    case .symbolicLink: return ("it is a symbolic link", "ls -l \(file)")
    case .foreignOwner(let uid): return ("it belongs to the user \(uid)", "ls -l \(file)")
    case .wideMode(let mode):
      let text = "others may use it (mode \(String(mode, radix: 8)))"
      return (text, "chmod go= \(file)")
    case .wrongType: return ("it is of the wrong kind", "ls -l \(file)")
    }
  }

  private init(_ error: CustodyError, _ group: GroupName) {
    let doctor = "tokenvault doctor"
    switch error {
    case .noBus:
      self.init(
        .unreachable, "There is no session bus, and the key is in the Secret Service.",
        next: "log in to a desktop session, or dbus-run-session COMMAND")
    case .noService:
      self.init(
        .unreachable, "No Secret Service runs on the session bus, and none can be started.",
        next: "sudo apt-get install gnome-keyring")
    case .noDefaultCollection:
      self.init(
        .unreachable, "The Secret Service has no default collection.",
        next: "gnome-keyring-daemon --unlock, or set a default keyring in seahorse")
    case .locked:
      self.init(.refused, "The keyring is locked.", next: "unlock it, then the same command again")
    case .promptDismissed:
      self.init(.refused, "The keyring was not unlocked.", next: "the same command again")
    case .keyMissing(let generation):
      self.init(
        .refused,
        "The keyring has no key for the group \(group) (generation \(generation)). Without it "
          + "the file cannot be read, and no new key is ever made for it.",
        next: "tokenvault group rekey \(group) --recovery-code")
    case .wrongKey:
      self.init(.refused, "The keyring's key is not that of the group \(group).", next: doctor)
    case .alreadyStored(let generation):
      self.init(
        .cannotCreate,
        "The keyring has a key of generation \(generation) already, and none is overwritten.",
        next: doctor)
    case .notDeleted(let generation):
      self.init(
        .inputOutput, "The keyring still has the former key (generation \(generation)).",
        next: doctor)
    case .serviceGone:
      self.init(
        .unreachable, "The Secret Service ended in the middle of a call.",
        next: "the same command again")
    case .timedOut:
      self.init(.unreachable, "The Secret Service does not answer in time.", next: doctor)
    case .libraryMissing:
      self.init(
        .unreachable, "libsecret is not installed.", next: "sudo apt-get install libsecret-1-0")
    case .refused(let name):
      let said = name.isEmpty ? "" : " (\(PlainText.escaped(name)))"
      self.init(.refused, "The Secret Service refused\(said).", next: doctor)
    case .badAnswer:
      self.init(
        .unreachable, "The Secret Service answers what its protocol does not allow.", next: doctor)
    case .passphraseRequired:
      self.init(
        .refused, "The group \(group) needs its passphrase, and nobody can be asked.",
        next: "the same command on a terminal, or with --passphrase-fd N")
    case .keyFileMissing(let file):
      self.init(
        .refused,
        file.isEmpty ? "No key file is named." : "The key file \(quoted(file)) does not exist.",
        next: "tokenvault group show \(group)")
    case .keyFileUnsafe(let file, let fault):
      self.init(
        .refused, "The key file \(quoted(file)) is not safe to use: \(Self.text(fault)).",
        next: fault == .wideMode
          ? "chmod go= \(PlainText.shellWord(file))" : "ls -l \(PlainText.shellWord(file))")
    case .keyFileUnreadable(let file, let errno):
      self.init(.inputOutput, "The key file \(quoted(file)): \(reason(errno)).")
    case .badRecoveryCode:
      self.init(.refused, "This is not a recovery code of the group \(group).")
    case .kernelKeyring(let errno):
      self.init(
        .inputOutput, "The kernel keyring: \(reason(errno)).", next: doctor)
    case .crypto:
      self.init(.unexpected, "A cryptographic operation failed.", next: doctor)
    }
  }

  private static func text(_ fault: KeyFileFault) -> String {
    switch fault {
    case .notOwned: "it belongs to somebody else"
    case .wideMode: "others may read or write it"
    case .notRegular: "it is not a regular file"
    case .symlink: "it is a symbolic link"
    case .wrongSize: "it has fewer than 32 or more than 4,096 bytes"
    }
  }

  private init(_ error: MSALCacheError) {
    func place(_ member: MSALCacheError.Member, _ index: Int) -> String {
      member == .other ? "an entity" : "entity \(index) of \(member.rawValue)"
    }
    func field(_ field: MSALCacheError.Field) -> String {
      field == .entity ? "" : ", field \(field.rawValue)"
    }
    let text: String =
      switch error {
      case .tooLarge(let limit): "it has more than \(limit >> 20) MiB"
      case .notJSON(let offset): "it is not JSON at byte \(offset)"
      case .tooDeep(let limit): "its values stand more than \(limit) deep"
      case .tooMany(let limit): "it has more than \(limit) values"
      case .notACache: "it is JSON, but not a token cache"
      case .badMember(let member): "\(member.rawValue) is not an object of entities"
      case .badEntity(let member, let index, let name, let problem):
        "\(place(member, index))\(field(name)): \(Self.text(problem))"
      case .secretTooLarge(let member, let index, let limit):
        "the secret of \(place(member, index)) has more than \(limit >> 20) MiB"
      case .invalidText(let member, let index, let name):
        "\(place(member, index))\(field(name)): a control character, or too long"
      }
    self.init(.damaged, "The cache cannot be read: \(text). Nothing was imported.")
  }

  private static func text(_ problem: MSALCacheError.Problem) -> String {
    switch problem {
    case .missing: "missing"
    case .wrongType: "of the wrong type"
    case .notATime: "not a time"
    }
  }
}
