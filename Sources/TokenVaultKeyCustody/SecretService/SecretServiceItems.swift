package import TokenVaultCrypto

/// Reads, stores and deletes the items of other programs in the Secret Service. Every call blocks.
package struct SecretServiceItems: Sendable {
  private let busAddress: String?
  private let allowPrompt: Bool
  /// An item may hold the whole cache of a program.
  private static let milliseconds = 10_000

  /// - Parameters:
  ///   - busAddress: The session bus, as in `DBUS_SESSION_BUS_ADDRESS`.
  ///   - allowPrompt: Whether the service may ask the user to unlock a collection or an item.
  package init(busAddress: String?, allowPrompt: Bool) {
    self.busAddress = busAddress
    self.allowPrompt = allowPrompt
  }

  /// The items that have these attributes, and perhaps more, in the order of their labels.
  /// - Throws: `locked` if an item, or the default collection, is locked and no prompt is allowed.
  package func all(
    _ attributes: KeyValuePairs<String, String>
  ) throws(CustodyError) -> [SecretServiceItem] {
    try all(attributes.map { ($0, $1) })
  }

  /// The same for attributes that a user chose.
  package func all(
    _ attributes: [(String, String)]
  ) throws(CustodyError) -> [SecretServiceItem] {
    var reader = try reader()
    return try items(attributes, from: &reader)
  }

  /// Stores a new item in the default collection, and reads it back. No other item is changed: a
  /// service that is asked to replace one may take an item with these attributes and more.
  package func store(
    _ secret: Redacted<[UInt8]>, label: String, contentType: String = "text/plain",
    _ attributes: [(String, String)]
  ) throws(CustodyError) {
    let bytes = secret.reveal()
    let former = Set(try all(attributes).map(\.path))
    let request = SecretServiceRequest(busAddress: busAddress, patience: patience)
    let stored = unsafe bytes.withUnsafeBytes { bytes in
      Result { () throws(CustodyError) in
        unsafe try request.store(bytes, label: label, contentType: contentType, attributes)
      }
    }
    let failure = try stored.get()
    var reader = try reader()
    let isKept = try items(attributes, from: &reader).contains {
      ConstantTime.equal($0.secret.reveal(), bytes) && !former.contains($0.path)
    }
    guard isKept else { throw failure ?? .itemNotChanged }
    try reader.saveWallet(patience)
  }

  /// Deletes an item if it is still as it was read, and verifies that it is gone.
  /// - Returns: Whether it was deleted: an item that its program has changed since stays.
  package func delete(_ item: SecretServiceItem) throws(CustodyError) -> Bool {
    let attributes = item.attributes.map { ($0.key, $0.value) }
    var reader = try reader()
    guard
      try items(attributes, from: &reader).contains(where: {
        $0.path == item.path && ConstantTime.equal($0.secret.reveal(), item.secret.reveal())
      })
    else { return false }
    try reader.delete(item.path, patience)
    if try reader.peerItems(attributes).contains(where: { $0.path == item.path }) {
      throw .itemNotChanged
    }
    try reader.saveWallet(patience)
    return true
  }

  /// The labels of the collections that are locked. A search finds nothing in them if it names the
  /// schema.
  package func lockedCollections() throws(CustodyError) -> [String] {
    var reader = try reader()
    return try reader.lockedCollections()
  }

  private var patience: SecretServicePatience {
    SecretServicePatience(allowPrompt: allowPrompt, milliseconds: Self.milliseconds)
  }

  private func reader() throws(CustodyError) -> SecretServiceReader {
    try SecretServiceReader.open(busAddress, patience.deadline)
  }

  private func items(
    _ attributes: [(String, String)], from reader: inout SecretServiceReader
  ) throws(CustodyError) -> [SecretServiceItem] {
    do throws(CustodyError) { return try reader.peerItems(attributes) } catch .locked {
      try reader.unlock(attributes, patience)
    }
    return try reader.peerItems(attributes)
  }
}
