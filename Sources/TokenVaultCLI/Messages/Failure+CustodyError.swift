import TokenVaultKeyCustody
import TokenVault
import TokenVaultModel

// MARK: The group's key

extension Failure {
  init(_ error: CustodyError, _ group: GroupName) {
    switch error {
    case .noBus:
      self.init(
        .unreachable,
        "The group's key is in the Secret Service, and there is no session bus. Nothing was changed.",
        next: "log in to a desktop session; or without a keyring: tokenvault group create NAME "
          + "--custody passphrase")
    case .noService:
      self.init(
        .unreachable,
        "No Secret Service is running on the session bus, and none can be started. Nothing was "
          + "changed.",
        next:
          "start one, such as gnome-keyring; or without a keyring: tokenvault group create NAME "
          + "--custody passphrase")
    case .noDefaultCollection:
      self.init(
        .unreachable, "The Secret Service has no default collection. Nothing was changed.",
        next: "set a default keyring in its program, such as Passwords and Keys (seahorse)")
    case .locked:
      self.init(
        .refused, "The keyring is locked. Nothing was changed.",
        next: "unlock it in its program, such as Passwords and Keys (seahorse), then "
          + Self.again())
    case .promptDismissed:
      self.init(.refused, "The keyring was not unlocked. Nothing was changed.", next: Self.again())
    case .keyMissing(let generation):
      self.init(
        .refused,
        "The keyring has no key for the group \(group) (generation \(generation)). The file cannot "
          + "be read without it, and a new key is never created for an existing file. It is unchanged.",
        next: "tokenvault group rekey \(group) --recovery-code")
    case .devicePartMissing(let file):
      self.init(
        .refused,
        "This device's part of the key of the group \(group) is missing or damaged "
          + "(\(Self.quoted(file))). The group's file cannot be read without it, and a new key is "
          + "never created for an existing file. It is unchanged.",
        next: "tokenvault group rekey \(group) --recovery-code")
    case .devicePartFailed(let file):
      self.init(
        .inputOutput,
        "The file \(Self.quoted(file)) with this device's part of a key could not be stored or "
          + "removed. Stored accounts are not affected.",
        next: "ls -ld \(PlainText.shellWord(file))")
    case .wrongKey:
      self.init(
        .refused,
        "The key in the keyring is not the key of the group \(group). Nothing was changed.",
        next: "tokenvault group rekey \(group) --recovery-code")
    case .wrongPassphrase:

      self.init(
        .refused, "Wrong passphrase for the group \(group). Nothing was changed.",
        next: Self.again())
    case .alreadyStored(let generation):
      self.init(
        .cannotCreate,
        "The keyring already has a key of generation \(generation), and it is not overwritten.",
        next: Self.again())
    case .notDeleted(let generation):
      self.init(
        .inputOutput,
        "The keyring still has the former key (generation \(generation)). "
          + "Stored accounts are not affected.",
        next: "tokenvault list --group \(group)", note: Self.triesAgain)
    case .itemNotChanged:
      self.init(
        .inputOutput,
        "The Secret Service did not keep a change that it confirmed. Stored accounts are not "
          + "affected.",
        next: Self.again())
    case .serviceGone:
      self.init(
        .unreachable,
        "The Secret Service exited in the middle of a call. Stored accounts are not affected.",
        next: Self.again())
    case .timedOut:
      self.init(
        .unreachable, "The Secret Service did not answer in time. Nothing was changed.",
        next: "busctl --user status org.freedesktop.secrets", note: "It names the program.")
    case .libraryMissing:
      self.init(
        .unreachable, "libsecret is not installed. Nothing was changed.",
        next: "sudo apt-get install libsecret-1-0")
    case .tooManyOpenFiles:
      self.init(
        .inputOutput,
        "Too many files are open to use the Secret Service safely. The keyring is unchanged.",
        next: "ulimit -n 1024, then " + Self.again())
    case .tooManyThreads:
      self.init(
        .inputOutput,
        "You have too many processes and threads to use the Secret Service safely. The keyring is "
          + "unchanged.",
        next: "ps -L -u \"$USER\"",
        note: "It names them. End one, then run the command again.")
    case .refused(let name):
      let detail = name.isEmpty ? "" : " (\(PlainText.escaped(name)))"
      self.init(
        .refused, "The Secret Service refused the call\(detail). Nothing was changed.",
        next: Self.again())
    case .badAnswer:
      self.init(
        .unreachable,
        "The Secret Service sent a reply that its protocol does not allow. Stored accounts are not "
          + "affected.",
        next: "busctl --user status org.freedesktop.secrets", note: "It names the program.")
    case .passphraseRequired:
      self.init(
        .refused,
        "The group \(group) needs its passphrase, and a prompt is not possible. Nothing was "
          + "changed.",
        next: "run the command on a terminal, or with --passphrase-fd N")
    case .keyFileMissing(let file):
      self.init(
        .refused,
        file.isEmpty
          ? "No key file is named. Nothing was changed."
          : "The key file \(Self.quoted(file)) does not exist. Nothing was changed.",
        next: "tokenvault group show \(group)")
    case .keyFileUnsafe(let file, let fault):
      self.init(
        .refused,
        "The key file \(Self.quoted(file)) is not safe to use: \(Self.text(fault)). Nothing was "
          + "changed.",
        next: fault == .wideMode
          ? "chmod go= \(PlainText.shellWord(file))" : "ls -l \(PlainText.shellWord(file))")
    case .keyFileUnreadable(let file, let errno):
      self.init(
        .inputOutput,
        "Cannot read the key file \(Self.quoted(file)): \(Self.reason(errno)). Nothing was changed.",
        next: "ls -l \(PlainText.shellWord(file))")
    case .badRecoveryCode:
      self.init(
        .refused, "This is not a recovery code of the group \(group). Nothing was changed.",
        next: Self.again("with the last code that was made"))
    case .kernelKeyring(let errno):
      self.init(
        .inputOutput,
        "The kernel keyring cannot be used: \(Self.reason(errno)). Stored accounts are not affected.",
        next: "cat /proc/key-users")
    case .crypto:
      self.init(
        .unexpected, "A cryptographic operation failed. Stored accounts are not affected.",
        next: Self.doctor)
    }
  }

  private static func text(_ fault: KeyFileFault) -> String {
    switch fault {
    case .notOwned: "another user owns it"
    case .wideMode: "other users can read or write it"
    case .notRegular: "it is not a regular file"
    case .symlink: "it is a symbolic link"
    case .wrongSize: "it is smaller than 32 or larger than 4,096 bytes"
    }
  }
}
