internal import TokenVaultCSecretService
internal import TokenVaultSystem
package import TokenVaultCrypto

/// Keeps group keys in the Linux Secret Service. Every call blocks.
///
/// Reading speaks D-Bus directly; creating, deleting and unlocking go through libsecret, which is
/// loaded at the first such call. Each state of the service is an error of its own, thrown within the
/// deadline. The deadline does not run while the service shows a prompt to the user.
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
    do throws(CustodyError) {
      var reader = try reader()
      return try reader.firstKey(id, where: accept)
    } catch .locked where allowPrompt {
      try unlock()
    }
    var reader = try reader()
    return try reader.firstKey(id, where: accept)
  }

  /// A conversation that has begun, for reading one key.
  package struct Conversation: ~Copyable {
    fileprivate var reader: SecretServiceReader?
  }

  /// Begins a conversation without waiting, so that the service's first answer arrives while the
  /// caller does other work. A failure is thrown when the key is read. This does not start a service
  /// that is not running.
  package func begin() -> Conversation {
    do throws(CustodyError) {
      return Conversation(reader: try SecretServiceReader.begin(busAddress, deadline))
    } catch { return Conversation(reader: nil) }
  }

  /// The key of a generation, read in a conversation that has begun.
  package func key(
    _ id: GroupKeyID, over conversation: consuming Conversation
  ) throws(CustodyError) -> SecretBytes {
    guard var reader = conversation.reader else { return try key(id) }
    do throws(CustodyError) {
      try reader.findCollection(deadline)
      return try reader.firstKey(id) { _ in true }
    } catch .locked where allowPrompt {
      return try key(id)
    }
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
    if try contains(id) { throw .alreadyStored(generation: id.generation) }
    let text = try crypto(key) { (key) throws(CryptoError) in try Base64URL.encodeSecret(key) }
    unsafe try request { request in
      unsafe text.withUnsafeBytes {
        unsafe tv_secret_store(
          &request, id.hexadecimalGroupID, String(id.generation),
          $0.assumingMemoryBound(to: CChar.self).baseAddress, $0.count)
      }
    }
    var reader = try reader()
    let expected = try crypto(key) { (key) throws(CryptoError) in try key.clone() }
    _ = try reader.firstKey(id) { $0.isEqual(to: expected) }
  }

  /// Deletes every item with this id and verifies that none is left.
  ///
  /// Deleting a missing item is no error. A search in a locked collection finds nothing and proves
  /// nothing: this throws `locked`.
  package func delete(_ id: GroupKeyID) throws(CustodyError) {
    guard try contains(id) else { return }
    unsafe try request { request in
      unsafe tv_secret_delete(&request, id.hexadecimalGroupID, String(id.generation))
    }
    var reader = try reader()
    if try reader.contains(id) { throw .notDeleted(generation: id.generation) }
  }

  /// All generations that are stored for a group, in ascending order.
  package func generations(of groupID: [UInt8]) throws(CustodyError) -> [UInt64] {
    do throws(CustodyError) {
      var reader = try reader()
      return try reader.generations(of: groupID)
    } catch .locked where allowPrompt {
      try unlock()
    }
    var reader = try reader()
    return try reader.generations(of: groupID)
  }

  /// Whether libsecret, which creates and deletes keys, can be loaded.
  package static var isLibraryLoadable: Bool { tv_secret_library() }

  /// The service's state, for `doctor`; never prompts.
  package func status() -> SecretServiceStatus {
    SecretServiceStatus(address: busAddress, deadline: deadline)
  }

  private var deadline: Deadline { Deadline(milliseconds: deadlineMilliseconds) }

  private func reader() throws(CustodyError) -> SecretServiceReader {
    try SecretServiceReader.open(busAddress, deadline)
  }

  private func contains(_ id: GroupKeyID) throws(CustodyError) -> Bool {
    do throws(CustodyError) {
      var reader = try reader()
      return try reader.contains(id)
    } catch .locked where allowPrompt {
      try unlock()
    }
    var reader = try reader()
    return try reader.contains(id)
  }

  private func unlock() throws(CustodyError) {
    unsafe try request { unsafe tv_secret_unlock(&$0) }
  }

  private func request(
    _ call: (inout tv_secret_request) -> tv_secret_result
  ) throws(CustodyError) {
    unsafe try SecretServiceRequest(
      busAddress: busAddress, allowPrompt: allowPrompt,
      deadlineMilliseconds: max(deadlineMilliseconds, Self.leastWriteMilliseconds)
    ).run(call)
  }
}
