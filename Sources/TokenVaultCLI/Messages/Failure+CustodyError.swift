import TokenVaultKeyCustody
import TokenVault
import TokenVaultModel

// MARK: The group file, the key and the cache

extension Failure {
  static func store(_ error: StoreFault, _ group: GroupName) -> Failure {
    let verify = "tokenvault group verify \(group)"
    switch error {
    case .notFound(let file):
      return Failure(
        .notFound, "\(Self.path(file)) does not exist.", next: Self.command("list", group))
    case .exists(let file):
      return Failure(.cannotCreate, "\(Self.path(file)) exists already.")
    case .unsafe(let file, let fault):
      let (text, next) = text(fault, file)
      return Failure(.refused, "\(Self.path(file)) is not safe to use: \(text).", next: next)
    case .notAGroupFile(let file):
      return Failure(.damaged, "\(Self.path(file)) is not a group file.", next: "tokenvault doctor")
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
        next: Self.command("list", group))
    case .tooLarge(let limit):
      return Failure(.usage, "A value has more than \(limit) bytes.")
    case .diskFull:
      return Failure(.inputOutput, "The disk is full; nothing was changed.", next: "df -h")
    case .readOnly(let file):
      return Failure(
        .inputOutput, "\(Self.path(file)) cannot be written; nothing was changed.",
        next: "tokenvault doctor")
    case .io(let call, let code):
      let text = code < 1000 ? Self.reason(code) : "SQLite's code \(code - 1000)"
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

  init(_ error: CustodyError, _ group: GroupName) {
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
        file.isEmpty
          ? "No key file is named." : "The key file \(Self.quoted(file)) does not exist.",
        next: "tokenvault group show \(group)")
    case .keyFileUnsafe(let file, let fault):
      self.init(
        .refused, "The key file \(Self.quoted(file)) is not safe to use: \(Self.text(fault)).",
        next: fault == .wideMode
          ? "chmod go= \(PlainText.shellWord(file))" : "ls -l \(PlainText.shellWord(file))")
    case .keyFileUnreadable(let file, let errno):
      self.init(.inputOutput, "The key file \(Self.quoted(file)): \(Self.reason(errno)).")
    case .badRecoveryCode:
      self.init(.refused, "This is not a recovery code of the group \(group).")
    case .kernelKeyring(let errno):
      self.init(
        .inputOutput, "The kernel keyring: \(Self.reason(errno)).", next: doctor)
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

  init(_ error: MSALCacheError) {
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
