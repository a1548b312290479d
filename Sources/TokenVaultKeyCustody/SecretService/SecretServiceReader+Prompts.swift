internal import TokenVaultSystem

/// Unlocking and deleting, which may need an answer of the user. All calls are on one connection: an
/// item that the user lets a program read in KeePassXC is unlocked for the connection that asked.
extension SecretServiceReader {
  /// Unlocks the default collection, and every item with these attributes. Throws `locked` if that
  /// takes a dialog that is not allowed.
  mutating func unlock(
    _ attributes: [(String, String)], _ patience: SecretServicePatience
  ) throws(CustodyError) {
    bus.deadline = patience.deadline
    // An open wallet is unlocked without a dialog, although KWallet calls it locked.
    if !patience.allowPrompt, try !isOpenWallet() { throw .locked }
    // A search misses items of a locked collection.
    if try isLocked(collection) { try unlock([collection], patience) }
    let search = try search(attributes)
    let locked = try items(search, atMost: 1 << 14).locked
    if !locked.isEmpty { try unlock(locked, patience) }
  }

  private mutating func unlock(
    _ paths: [String], _ patience: SecretServicePatience
  ) throws(CustodyError) {
    let unlock = bus.call(.secrets("Unlock", "ao")) { $0.objectPaths(paths) }
    var answer = try bus.reply(to: unlock, "aoo")
    _ = try answer.objectPaths()
    try complete(try answer.objectPath(), patience)
  }

  /// Deletes an item. Deleting one that is gone is no error.
  mutating func delete(
    _ item: String, _ patience: SecretServicePatience
  ) throws(CustodyError) {
    let delete = bus.call(.secrets("Delete", path: item, interface: itemInterface))
    do throws(CustodyError) {
      var answer = try bus.reply(to: delete, "o")
      try complete(try answer.objectPath(), patience)
    } catch .refused(let name) where goneNames.contains(name) {}
  }

  /// Lets the service carry out a prompt, and waits for its end. KeePassXC returns prompts that need
  /// no dialog, so one that is not allowed shows by the time that it takes.
  private mutating func complete(
    _ prompt: String, _ patience: SecretServicePatience
  ) throws(CustodyError) {
    guard prompt != "/", let owner = bus.pinnedOwner else { return }
    bus.listen("sender='\(owner)',interface='\(promptInterface)',path='\(prompt)'")
    bus.listen("sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(owner)'")
    let shown = bus.call(.secrets("Prompt", "s", path: prompt, interface: promptInterface)) {
      // No window of this program is below the dialog.
      $0.string("")
    }
    _ = try bus.reply(to: shown, "")
    if patience.allowPrompt { bus.deadline = Deadline(milliseconds: .max) }
    do throws(CustodyError) { try waitForEnd(of: prompt) } catch .timedOut {
      _ = bus.call(.secrets("Dismiss", path: prompt, interface: promptInterface))
      try bus.flush()
      throw .locked
    }
    bus.deadline = patience.deadline
  }

  private mutating func waitForEnd(of prompt: String) throws(CustodyError) {
    while true {
      let signal = try LongWait.secretService.during { () throws(CustodyError) in
        try bus.nextSignal()
      }
      if signal.member == "NameOwnerChanged" { throw .serviceGone }
      guard signal.member == "Completed", signal.path == prompt else { continue }
      var completed = try bus.body(of: signal, "bv")
      if try completed.uint32() != 0 { throw .promptDismissed }
      return
    }
  }
}

private let promptInterface = "org.freedesktop.Secret.Prompt"
