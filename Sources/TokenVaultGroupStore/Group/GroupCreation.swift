import Glibc
import TokenVaultSystem
import TokenVaultCrypto

/// Creates and removes group files. Creation is atomic: the file appears complete under its name,
/// or not at all.
package enum GroupCreation {
  /// The path under which the file is built before it is published.
  package static func draftPath(for path: String) -> String { path + ".new" }

  /// Creates the file as a draft; ``publish(_:from:replacing:)`` gives the draft its name.
  ///
  /// The caller must hold the group's lock.
  package static func draft(
    _ path: String, header: GroupHeader, key: GenerationKey
  ) throws(StoreError) -> UnlockedGroup {
    let draft = draftPath(for: path)
    do {
      close(try SystemCalls.open(draft, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600))
    } catch { throw FileSafety.failed(error.call, error.errno, path: draft) }
    let database = try Database(path: draft, busyMilliseconds: 0)
    try database.execute(
      """
      PRAGMA page_size=4096; PRAGMA secure_delete=ON; PRAGMA synchronous=FULL;
      PRAGMA application_id=\(Format.applicationID); PRAGMA user_version=\(Format.version);
      PRAGMA cell_size_check=ON; PRAGMA journal_mode=WAL; BEGIN IMMEDIATE
      """)
    for statement in Format.schemaStatements { try database.execute(statement) }
    let keys: GroupKeys
    do {
      keys = try GroupKeys(
        key: try key.key.clone(), lookup: try SecretBytes.random(count: 32), group: header.groupID)
    } catch let error as StoreError { throw error } catch { throw .crypto }
    try keys.write(to: database, header: header)
    try database.setMeta(
      Format.Meta.state.rawValue,
      try keys.wrap.sealRow(
        Padding.pad(GroupState().encoded()), header.associatedData(.state)))
    try database.setMeta(
      Format.Meta.rotationKeys.rawValue, try firstRotationKeys(key, header: header, keys))
    try database.execute("COMMIT")
    do {
      return try UnlockedGroup(
        path: draft, header: header, database: database, key: try key.key.clone())
    } catch let error as StoreError { throw error } catch { throw .crypto }
  }

  private static func firstRotationKeys(
    _ key: GenerationKey, header: GroupHeader, _ keys: GroupKeys
  ) throws(StoreError) -> [UInt8] {
    var rotationKeys = try RotationKeys()
    if let parts = key.parts {
      try rotationKeys.set(
        .bridge, header.generation,
        to: try KeyParts.bridgePart(of: parts.keyring, group: header.groupID))
    }
    do {
      return try keys.wrap.seal(
        rotationKeys.content, associatedData: header.associatedData(.rotationKeys))
    } catch { throw .crypto }
  }

  /// Gives a draft its name, durably. The draft must be closed.
  ///
  /// The caller must hold the group's lock.
  /// - Parameters:
  ///   - other: the draft, if it is not at ``draftPath(for:)``.
  ///   - replacing: whether to replace a file at the path that is no longer a usable group.
  /// - Throws: ``StoreError/exists(path:)`` if a file is at the path and `replacing` is false.
  package static func publish(
    _ path: String, from other: String? = nil, replacing: Bool = false
  ) throws(StoreError) {
    let draft = other ?? draftPath(for: path)
    guard replacing || FileSafety.identity(of: path) == nil else { throw .exists(path: path) }
    // An interrupted deletion may have left a log. SQLite would replay it into the new file, to
    // which it does not belong.
    try remove(sidecars(of: path) + sidecars(of: draft))
    // SQLite, too, has removed names without a sync. After a power cut, the new name could be there, and
    // they as well.
    try FileSafety.syncDirectory(FileSafety.directory(of: path))
    if replacing {
      guard unsafe rename(draft, path) == 0 else {
        throw FileSafety.failed("rename", errno, path: path)
      }
    } else {
      try name(draft, path)
    }
    // link(2) leaves it.
    try remove([draft])
    try FileSafety.syncDirectory(FileSafety.directory(of: path))
  }

  /// Renames the draft. rename(2) would replace an existing file; on a file system that does not
  /// support renaming without replacement, this uses link(2), which fails if the file exists and
  /// leaves the file with two names for a moment.
  private static func name(_ draft: String, _ path: String) throws(StoreError) {
    do throws(SystemCallError) { try SystemCalls.renameToNew(draft, path) } catch {
      guard [EINVAL, ENOSYS].contains(error.errno) else {
        throw FileSafety.failed(error.call, error.errno, path: path)
      }
      guard unsafe link(draft, path) == 0 else {
        throw FileSafety.failed("link", errno, path: path)
      }
    }
  }

  /// Removes a group file or draft, and the files that SQLite keeps beside it.
  /// - Returns: the paths that existed.
  @discardableResult
  package static func remove(_ path: String) throws(StoreError) -> [String] {
    try remove([path] + sidecars(of: path))
  }

  /// The files of SQLite beside a group file that is gone; none if the file exists, or if a log has
  /// content: it may belong to a file that was moved away.
  package static func orphans(of path: String) -> [String] {
    var status = stat()
    guard unsafe lstat(path, &status) != 0, errno == ENOENT else { return [] }
    let found = sidecars(of: path).filter { unsafe lstat($0, &status) == 0 }
    let hasContent = found.contains {
      unsafe !$0.hasSuffix("-shm") && lstat($0, &status) == 0 && status.st_size > 0
    }
    return hasContent ? [] : found
  }

  private static func sidecars(of path: String) -> [String] {
    ["-wal", "-shm", "-journal"].map { path + $0 }
  }

  @discardableResult
  private static func remove(_ names: [String]) throws(StoreError) -> [String] {
    var removed: [String] = []
    for name in names {
      if unsafe unlink(name) == 0 {
        removed.append(name)
      } else if errno != ENOENT {
        throw FileSafety.failed("unlink", errno, path: name)
      }
    }
    return removed
  }
}
