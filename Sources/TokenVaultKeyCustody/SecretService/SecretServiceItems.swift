import Glibc
internal import TokenVaultCSecretService
internal import TokenVaultSystem
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
    do throws(CustodyError) { return try read(attributes) } catch .locked where allowPrompt {}
    unsafe try withAttributes(attributes) { request, list, count in
      unsafe tv_secret_unlock_items(&request, list, count)
    }
    return try read(attributes)
  }

  /// Stores a new item in the default collection, and reads it back. No other item is changed: a
  /// service that is asked to replace one may take an item with these attributes and more.
  package func store(
    _ secret: Redacted<[UInt8]>, label: String, contentType: String = "text/plain",
    _ attributes: [(String, String)]
  ) throws(CustodyError) {
    let bytes = secret.reveal()
    let former = Set(try all(attributes).map(\.path))
    unsafe try withAttributes(attributes) { request, list, count in
      unsafe bytes.withUnsafeBytes { bytes in
        unsafe tv_secret_store_item(
          &request, label, contentType, list, count, bytes.baseAddress, bytes.count)
      }
    }
    let isKept = try read(attributes).contains {
      $0.secret.reveal() == bytes && !former.contains($0.path)
    }
    guard isKept else { throw .itemNotChanged }
  }

  /// Deletes an item if it is still as it was read, and verifies that it is gone.
  /// - Returns: Whether it was deleted: an item that its program has changed since stays.
  package func delete(_ item: SecretServiceItem) throws(CustodyError) -> Bool {
    let attributes = item.attributes.map { ($0.key, $0.value) }
    guard
      try all(attributes).contains(where: {
        $0.path == item.path && $0.secret.reveal() == item.secret.reveal()
      })
    else { return false }
    unsafe try withAttributes(attributes) { request, list, count in
      unsafe tv_secret_delete_item(&request, list, count, item.path)
    }
    if try read(attributes).contains(where: { $0.path == item.path }) { throw .itemNotChanged }
    return true
  }

  /// The labels of the collections that are locked. A search finds nothing in them if it names the
  /// schema.
  package func lockedCollections() throws(CustodyError) -> [String] {
    let deadline = Deadline(milliseconds: Self.milliseconds)
    var reader = try SecretServiceReader.open(busAddress, deadline)
    return try reader.lockedCollections()
  }

  private func read(
    _ attributes: [(String, String)]
  ) throws(CustodyError) -> [SecretServiceItem] {
    let deadline = Deadline(milliseconds: Self.milliseconds)
    var reader = try SecretServiceReader.open(busAddress, deadline)
    return try reader.peerItems(attributes)
  }

  private func request(
    _ call: (inout tv_secret_request) -> tv_secret_result
  ) throws(CustodyError) {
    unsafe try SecretServiceRequest(
      busAddress: busAddress, allowPrompt: allowPrompt, deadlineMilliseconds: Self.milliseconds
    ).run(call)
  }

  private func withAttributes(
    _ attributes: [(String, String)],
    _ call: (inout tv_secret_request, UnsafePointer<tv_secret_attribute>?, Int) -> tv_secret_result
  ) throws(CustodyError) {
    let names = unsafe attributes.map { unsafe (strdup($0.0), strdup($0.1)) }
    defer {
      unsafe names.forEach {
        unsafe free($0.0)
        unsafe free($0.1)
      }
    }
    let list = unsafe names.map { unsafe tv_secret_attribute(name: $0.0, value: $0.1) }
    unsafe try request { request in
      unsafe list.withUnsafeBufferPointer { unsafe call(&request, $0.baseAddress, $0.count) }
    }
  }
}
