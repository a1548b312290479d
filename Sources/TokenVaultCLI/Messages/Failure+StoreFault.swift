import TokenVault
import TokenVaultModel

// MARK: The group file

extension Failure {
  init(_ error: StoreFault, _ group: GroupName) {
    switch error {
    case .notFound(let file):
      self.init(.notFound, "\(Self.path(file)) does not exist.", next: Self.command("list", group))
    case .exists(let file):

      self.init(
        .cannotCreate, "\(Self.path(file)) already exists. Nothing was changed.",
        next: "ls -l \(PlainText.shellWord(file))")
    case .unsafe(let file, let fault):
      let (text, next) = Self.text(fault, file)
      self.init(
        .refused, "\(Self.path(file)) is not safe to use: \(text). Nothing was changed.", next: next
      )
    case .notAGroupFile(let file):
      self.init(
        .damaged, "\(Self.path(file)) is not a group file. It is unchanged.",
        next: "tokenvault group restore \(group) FILE")
    case .unsupportedVersion(let version):
      self.init(
        .damaged,
        "The group \(group) has format version \(version), which is newer than this program "
          + "supports: install a newer version. The group is unchanged.",
        next: "tokenvault --version")
    case .damaged(nil):
      self.init(
        .damaged, "The file of the group \(group) is damaged and cannot be read. It is unchanged.",
        next: "tokenvault group restore \(group) FILE")
    case .damaged(let rows?):
      self.init(
        .damaged,
        "The file of the group \(group) is damaged: \(rows.counted("account")) cannot be read. It "
          + "is unchanged.",
        next: "tokenvault group restore \(group) FILE")
    case .wrongKey:
      self.init(
        .refused,
        "Wrong key, passphrase or recovery code for the group \(group). Nothing was changed.",
        next: "tokenvault group show \(group)")
    case .generationChanged, .busy:
      self.init(
        .busy, "The group \(group) is in use by other processes; nothing was changed.",
        next: Self.again())
    case .accountGone:
      self.init(
        .notFound, "The account was signed out of the group \(group) in the meantime.",
        next: Self.command("list", group))
    case .tooLarge(let limit):
      self.init(usage: "A value is larger than \(limit) bytes.")
    case .diskFull:
      self.init(.inputOutput, "The disk is full; nothing was changed.", next: "df -h")
    case .readOnly(let file):
      self.init(
        .inputOutput, "\(Self.path(file)) cannot be written; nothing was changed.",
        next: "ls -ld \(PlainText.shellWord(file))")
    case .notMade(let directory, let code):
      self.init(
        .cannotCreate,
        "Cannot create the directory \(Self.path(directory)): \(Self.reason(code)). Nothing was "
          + "changed.", next: Self.lookAround(directory))
    case .io("read", let code):
      self.init(
        .inputOutput,
        "The disk cannot read the file of the group \(group): \(Self.reason(code)). The file is "
          + "unchanged, and its content may be intact.",
        next: "sudo dmesg --level=err")
    case .io(_, let code):
      let text = code < 1000 ? Self.reason(code) : "SQLite error \(code - 1000)"
      self.init(
        .inputOutput,
        "The file of the group \(group) cannot be read or written: \(text). Earlier changes are "
          + "kept.",
        next: Self.again())
    case .crypto:
      self.init(
        .unexpected, "A cryptographic operation failed. Stored accounts are not affected.",
        next: Self.doctor)
    }
  }

  /// The fault, and the command that shows or fixes it.
  private static func text(_ fault: UnsafePath, _ file: String) -> (String, String) {
    let file = PlainText.shellWord(file)
    switch fault {
    case .symbolicLink: return ("it is a symbolic link", "ls -l \(file)")
    case .foreignOwner(let uid): return ("its owner is user \(uid)", "ls -l \(file)")
    case .wideMode(let mode):
      let text = "other users have access (mode \(String(mode, radix: 8)))"
      return (text, "chmod go= \(file)")
    case .wrongType: return ("it has the wrong file type", "ls -l \(file)")
    case .networkFileSystem:
      let text =
        "it is on a network file system, where two machines would overwrite each other's changes. "
        + "Choose a directory on a local disk"
      return (text, "export TOKENVAULT_HOME=DIRECTORY")
    }
  }
}
