import Glibc
import TokenVaultSystem
package import TokenVaultCrypto

/// An open group file whose key is not known yet. It gives access to the cleartext header and to
/// the sealed keys. Unlocking consumes it.
package struct LockedGroup: ~Copyable {
  package let path: String
  package let header: GroupHeader
  let database: Database

  /// Opens the file at `path` after checking its permissions and those of its directory.
  /// - Parameters:
  ///   - busyMilliseconds: how long a statement waits for a lock of another process.
  ///   - announce: is passed the header before it is verified, so that a slow search for the key can
  ///     begin. The caller uses the key only if this initialiser returns.
  package init(
    path: String, busyMilliseconds: Int32 = 10_000, announce: (GroupHeader) -> Void = { _ in }
  ) throws(StoreError) {
    let directory = FileSafety.directory(of: path)
    try FileSafety.checkDirectory(directory)
    try FileSafety.checkIsLocal(directory)
    let database = try Self.openChecked(path, busyMilliseconds)
    database.keepLogFiles()
    // Before any other statement: those that are compiled already would have to be compiled again.
    try database.execute("PRAGMA cell_size_check=ON")
    let header = try Self.readHeaderChecked(database, path: path, announce)
    self.path = path
    self.database = database
    self.header = header
  }

  /// Opens the very file that was checked. Another process may give its name to another file between
  /// the two: a restore does so once, an attacker may do so all the time.
  private static func openChecked(
    _ path: String, _ busyMilliseconds: Int32
  ) throws(StoreError) -> Database {
    for _ in 0..<16 {
      let file = try FileSafety.checkFile(path)
      do {
        return try Database(path: path, busyMilliseconds: busyMilliseconds, expecting: file)
      } catch {
        guard case .busy = error else { throw error }
      }
    }
    throw .busy
  }

  private static func readHeaderChecked(
    _ database: Database, path: String, _ announce: (GroupHeader) -> Void
  ) throws(StoreError) -> GroupHeader {
    do throws(StoreError) {
      try checkIdentity(database, path: path)
      return try readHeader(database, announce)
    } catch {
      try database.requireUnchanged()
      throw error
    }
  }

  private static func checkIdentity(_ database: Database, path: String) throws(StoreError) {
    let identity = try database.statement("PRAGMA application_id")
    guard try identity.step(), identity.int64(0) == Format.applicationID else {
      identity.reset()
      throw .notAGroupFile(path: path)
    }
    identity.reset()
    let version = try database.statement("PRAGMA user_version")
    guard try version.step() else { throw .damaged(rows: nil) }
    defer { version.reset() }
    guard let number = UInt32(exactly: version.int64(0)),
      Format.readableVersions.contains(number)
    else {
      throw .unsupportedVersion(UInt32(truncatingIfNeeded: version.int64(0)))
    }
  }

  static func readHeader(
    _ database: Database, _ announce: (GroupHeader) -> Void = { _ in }
  ) throws(StoreError) -> GroupHeader {
    guard let bytes = try database.meta(Format.Meta.header.rawValue) else {
      throw .damaged(rows: nil)
    }
    return try GroupHeader(bytes, announce: announce)
  }

  static func wrappingKey(
    _ key: borrowing SecretBytes, group: [UInt8]
  ) throws(StoreError) -> SealingKey {
    let derived = try Format.derive(key, group: group, purpose: "wrap")
    do { return try SealingKey(derived) } catch { throw .crypto }
  }

  /// Compiles the statements that find a secret, while the caller waits for the key.
  package func prepareQueries() {
    bestEffort("the statement itself reports the error") {
      for statement in [
        Database.schemaQuery, "BEGIN", "COMMIT", GroupTransaction.Query.name,
        GroupTransaction.Query.account, GroupTransaction.Query.payload,
      ] { _ = try database.statement(statement) }
    }
  }

  /// Unlocks the group with the key of its generation.
  /// - Throws: ``StoreError/wrongKey`` if `key` is not the key of that generation,
  ///   ``StoreError/damaged(rows:)`` if it is, but does not open the keys in the file.
  package consuming func unlock(_ key: consuming SecretBytes) throws(StoreError) -> UnlockedGroup {
    try UnlockedGroup(path: path, header: header, database: database, key: key)
  }
}
