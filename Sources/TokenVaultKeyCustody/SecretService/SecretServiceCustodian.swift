internal import TokenVaultCSecretService
internal import TokenVaultModel
package import TokenVaultSystem
package import TokenVaultCrypto

/// Keeps group keys in the Linux Secret Service. Every call blocks.
///
/// Everything but creating speaks D-Bus directly; creating goes through libsecret, which encrypts the
/// key for the bus and is loaded at the first such call. Each state of the service is an error of its
/// own, thrown within the deadline. The deadline does not run while the service shows a prompt to the
/// user.
package struct SecretServiceCustodian: StoringKeyCustodian {
  private let busAddress: String?
  private let allowPrompt: Bool
  private let deadlineMilliseconds: Int
  /// The least time for a conversation that stores or deletes. The service syncs its file before it
  /// answers, and a busy disk may take seconds for that. A service that hangs is noticed before, by
  /// the search that precedes each of them.
  private static let leastWriteMilliseconds = 10_000

  /// A custodian, which connects with each call.
  /// - Parameters:
  ///   - busAddress: the session bus, as in `DBUS_SESSION_BUS_ADDRESS`.
  ///   - allowPrompt: whether the service may ask the user to unlock a collection.
  ///   - deadlineMilliseconds: the time limit of each conversation with the service; storing and
  ///     deleting have at least 10 s.
  package init(busAddress: String?, allowPrompt: Bool, deadlineMilliseconds: Int = 1000) {
    self.busAddress = busAddress
    self.allowPrompt = allowPrompt
    self.deadlineMilliseconds = deadlineMilliseconds
  }

  /// Loads libsecret on another thread, which takes some milliseconds. ``store(_:as:)`` would do it, and
  /// reports a failure.
  package static func loadLibrary() -> PendingResult<Void, Never> {
    PendingResult {
      bestEffort("the library is loaded when a key is stored") {
        try SecretServiceRequest.loadLibrary()
      }
    }
  }

  /// The key of a generation: of several items with its id, the first that holds a key.
  package func key(_ id: GroupKeyID) throws(CustodyError) -> SecretBytes {
    try key(id, where: { _ in true })
  }

  /// The first key of a generation that `accept` approves.
  ///
  /// Several items can have the same id, after an interrupted rotation or an import; each is passed
  /// to `accept` in turn. Throws `wrongKey` when it approves none.
  package func key(
    _ id: GroupKeyID, where accept: (borrowing SecretBytes) -> Bool
  ) throws(CustodyError) -> SecretBytes {
    var reader = try reader()
    return try key(id, from: &reader, where: accept)
  }

  private func key(
    _ id: GroupKeyID, from reader: inout SecretServiceReader, meanwhile: () -> Void = {},
    where accept: (borrowing SecretBytes) -> Bool
  ) throws(CustodyError) -> SecretBytes {
    do throws(CustodyError) {
      return try reader.firstKey(id, meanwhile: meanwhile, where: accept)
    } catch .locked {
      try reader.unlock(id.attributes, patience)
    }
    return try reader.firstKey(id, where: accept)
  }

  /// A conversation that has begun, for reading one key.
  package struct Conversation: ~Copyable {
    fileprivate var reader: SecretServiceReader?
    fileprivate var progress = Progress.begun

    fileprivate enum Progress {
      case begun
      case seeking
      case failed(CustodyError)
    }
  }

  /// Begins a conversation without waiting, so that the service's first answer arrives while the
  /// caller does other work. A failure is thrown when the key is read. This does not start a service
  /// that is not running.
  package func begin() -> Conversation {
    do throws(CustodyError) {
      return Conversation(reader: try SecretServiceReader.begin(busAddress, patience.deadline))
    } catch { return Conversation(reader: nil) }
  }

  /// Waits for the service's first answer and requests the key of a generation, so that the service
  /// looks for it while the caller does other work. A failure is thrown when the key is read.
  package func seek(_ id: GroupKeyID, in conversation: inout Conversation) {
    guard var reader = conversation.reader.take() else { return }
    do throws(CustodyError) {
      try reader.findCollection(patience.deadline)
      try reader.seek(id)
      conversation = Conversation(reader: reader, progress: .seeking)
    } catch { conversation.progress = .failed(error) }
  }

  /// The key of a generation, read in a conversation that has begun. If it was requested with
  /// ``seek(_:in:)``, it is the same generation.
  /// - Parameter meanwhile: work of the caller, which this method calls, at most once, while the service
  ///   sends the key.
  package func key(
    _ id: GroupKeyID, over conversation: consuming Conversation, meanwhile: () -> Void
  ) throws(CustodyError) -> SecretBytes {
    // The time limit includes the wait for the first answer.
    var isSeeking = false
    switch conversation.progress {
    // A new conversation unlocks the collection.
    case .failed(.locked), .begun: break
    case .failed(let failure): throw failure
    case .seeking: isSeeking = true
    }
    guard var reader = conversation.reader else { return try key(id) }
    if !isSeeking { try reader.findCollection(patience.deadline) }
    return try key(id, from: &reader, meanwhile: meanwhile) { _ in true }
  }

  /// Stores a new key and reads it back.
  ///
  /// Throws `alreadyStored` when an item has this id, because items are never overwritten, and
  /// `wrongKey` when another key is read back. After any other error the item may or may not exist:
  /// check ``generations(of:)`` before trying again.
  package func store(
    _ key: borrowing SecretBytes, as id: GroupKeyID
  ) throws(CustodyError) {
    guard key.count == groupKeySize else { throw .wrongKey }
    var former = try reader()
    guard try items(id, from: &former).isEmpty else {
      throw .alreadyStored(generation: id.generation)
    }
    let text = try crypto(key) { (key) throws(CryptoError) in try Base64URL.encodeSecret(key) }
    let attributes = id.attributes + [("xdg:schema", "dev.tokenvault.GroupKey")]
    let request = SecretServiceRequest(busAddress: busAddress, patience: writePatience)
    let stored = unsafe text.withUnsafeBytes { text in
      Result { () throws(CustodyError) in
        unsafe try request.store(
          text, label: "TokenVault keychain group key", contentType: "text/plain", attributes)
      }
    }
    let failure = try stored.get()
    var reader = try reader()
    let expected = try crypto(key) { (key) throws(CryptoError) in try key.clone() }
    do throws(CustodyError) {
      _ = try self.key(id, from: &reader) { $0.isEqual(to: expected) }
    } catch {
      throw failure ?? error
    }
    try reader.saveWallet(writePatience)
  }

  /// Deletes every item with this id and verifies that none is left.
  ///
  /// Deleting a missing item is no error. A search in a locked collection finds nothing and proves
  /// nothing: this throws `locked`.
  package func delete(_ id: GroupKeyID) throws(CustodyError) {
    var reader = try reader()
    let items = try items(id, from: &reader)
    guard !items.isEmpty else { return }
    reader.bus.deadline = writePatience.deadline
    for item in items {
      do throws(CustodyError) { try reader.delete(item, writePatience) } catch .locked {
        try reader.unlock(id.attributes, writePatience)
        try reader.delete(item, writePatience)
      }
    }
    guard try reader.items(id).isEmpty else { throw .notDeleted(generation: id.generation) }
    try reader.saveWallet(writePatience)
  }

  /// All generations that are stored for a group, in ascending order.
  package func generations(of groupID: [UInt8]) throws(CustodyError) -> [UInt64] {
    var reader = try reader()
    do throws(CustodyError) { return try reader.generations(of: groupID) } catch .locked {
      try reader.unlock([("group", Hexadecimal.encode(groupID))], patience)
    }
    return try reader.generations(of: groupID)
  }

  /// Checks, before the first of several changes, that this process can open enough files for all
  /// of them: the last one needs as many as the first, and others were opened meanwhile.
  /// - Throws: `tooManyOpenFiles`.
  package static func requireDescriptors() throws(CustodyError) {
    try SecretServiceRequest.requireDescriptors(24)
  }

  /// Checks, before the first of several changes, that this process can start the threads that storing
  /// a key needs.
  /// - Throws: `tooManyThreads`.
  package static func requireThreads() throws(CustodyError) {
    try SecretServiceRequest.requireThreads()
  }

  /// Whether libsecret, which creates keys, can be loaded.
  package static var isLibraryLoadable: Bool { tv_secret_library() }

  /// The service's state, for `doctor`; never prompts.
  package func status() -> SecretServiceStatus {
    SecretServiceStatus(address: busAddress, deadline: patience.deadline)
  }

  private var patience: SecretServicePatience {
    SecretServicePatience(allowPrompt: allowPrompt, milliseconds: deadlineMilliseconds)
  }

  private var writePatience: SecretServicePatience {
    SecretServicePatience(
      allowPrompt: allowPrompt,
      milliseconds: max(deadlineMilliseconds, Self.leastWriteMilliseconds))
  }

  private func reader() throws(CustodyError) -> SecretServiceReader {
    try SecretServiceReader.open(busAddress, patience.deadline)
  }

  private func items(
    _ id: GroupKeyID, from reader: inout SecretServiceReader
  ) throws(CustodyError) -> [String] {
    do throws(CustodyError) { return try reader.items(id) } catch .locked {
      try reader.unlock(id.attributes, patience)
    }
    return try reader.items(id)
  }
}
