internal import TokenVaultSystem

/// The calls of KWallet that the Secret Service API lacks. They are made only if the program with
/// which the conversation began is KWallet.
extension SecretServiceReader {
  /// Whether the default collection is a wallet that is open. KWallet reports a wallet as locked that
  /// it opened at login, until its first use.
  mutating func isOpenWallet() throws(CustodyError) -> Bool {
    guard let daemon = try walletDaemon() else { return false }
    let wallet = try walletName()
    let isOpen = bus.call(daemon.call("isOpen", "s")) { $0.string(wallet) }
    var answer = try bus.reply(to: isOpen, "b")
    return try answer.uint32() != 0
  }

  /// Makes KWallet write its file, which it would do 5 seconds after a change: a daemon that ends
  /// before loses a stored key, and has a deleted one again.
  mutating func saveWallet(_ patience: SecretServicePatience) throws(CustodyError) {
    bus.deadline = patience.deadline
    guard let daemon = try walletDaemon() else { return }
    let wallet = try walletName()
    let open = bus.call(daemon.call("open", "sxs")) {
      $0.string(wallet)
      // No window of this program is below a dialog.
      $0.uint64(0)
      $0.string(Self.application)
    }
    // The user may have set that KWallet asks about each program.
    bus.deadline = patience.allowPrompt ? Deadline(milliseconds: .max) : patience.deadline
    var opened = try LongWait.secretService.during { () throws(CustodyError) in
      try bus.reply(to: open, "i")
    }
    let handle = try opened.uint32()
    bus.deadline = patience.deadline
    guard Int32(bitPattern: handle) >= 0 else { throw .refused(name: "") }
    let sync = bus.call(daemon.call("sync", "is")) {
      $0.uint32(handle)
      $0.string(Self.application)
    }
    let close = bus.call(daemon.call("close", "ibs")) {
      $0.uint32(handle)
      // The wallet stays open for its other users.
      $0.uint32(0)
      $0.string(Self.application)
    }
    _ = try bus.reply(to: sync, "")
    _ = try bus.reply(to: close, "i")
  }

  private static let application = "TokenVault"

  /// KWallet, if it is the service of this conversation.
  private mutating func walletDaemon() throws(CustodyError) -> KWalletDaemon? {
    for daemon in [KWalletDaemon(version: 5), KWalletDaemon(version: 6)] {
      let owner = bus.call(.bus("GetNameOwner", "s")) { $0.string(daemon.name) }
      do throws(CustodyError) {
        var answer = try bus.reply(to: owner, "s")
        if try answer.string() == bus.pinnedOwner { return daemon }
      } catch .serviceGone {
        // The bus answers so for a name without an owner.
      }
    }
    return nil
  }

  private mutating func walletName() throws(CustodyError) -> String {
    var label = try property("Label", of: "Collection", at: collection, "s")
    return try label.string()
  }
}

private struct KWalletDaemon {
  let version: Int

  var name: String { "org.kde.kwalletd\(version)" }

  func call(_ member: String, _ signature: String) -> DBusCall {
    DBusCall(
      destination: name, path: "/modules/kwalletd\(version)", interface: "org.kde.KWallet",
      member: member, signature: signature)
  }
}
