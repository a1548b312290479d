import Glibc
import TokenVaultGroupStore
import TokenVaultKeyCustody
import TokenVaultModel
import TokenVaultSystem

/// Gives the key file of a group new content, under the same name.
///
/// The new content is in the draft `PATH.new`, which a staged manifest names, until the group has
/// its new key; then the draft replaces the key file. Wherever this is interrupted, the manifest in
/// force and the staged one together name the file that opens the group.
struct KeyFileReplacement {
  private let configuration: VaultConfiguration
  private let path: String
  var draft: String { path + ".new" }

  init(_ configuration: VaultConfiguration, path: String) {
    self.configuration = configuration
    self.path = path
  }

  /// Removes the draft of an interrupted replacement, which the staged manifest names and which no
  /// commit needs.
  /// - Throws: ``VaultError/keyFileNotReplaceable(path:group:)`` if the key file is not one that
  ///   TokenVault made for this group alone; ``VaultError/keyFileNotCreated(path:errno:)`` if
  ///   another file has the name of the draft.
  func requireReplaceable() throws {
    guard try isOurs() else { throw notReplaceable }
    guard unsafe access(draft, F_OK) == 0 else { return }
    let staged = try configuration.manifests.staged(configuration.group)
    guard staged?.custody == .keyFile(path: draft) else {
      throw VaultError.keyFileNotCreated(path: draft, errno: EEXIST)
    }
    removeDraft()
  }

  /// Makes the draft. The manifest that names it is staged.
  func makeDraft() throws {
    do throws(CustodyError) { try KeyFileCustodian.create(path: draft) } catch {
      switch error {
      case .keyFileUnreadable(_, EACCES), .keyFileUnreadable(_, EPERM): throw notReplaceable
      case .keyFileUnreadable(let path, let errno):
        throw VaultError.keyFileNotCreated(path: path, errno: errno)
      default: throw error
      }
    }
  }

  func removeDraft() { unsafe unlink(draft) }

  /// Replaces the key file by the draft, and overwrites the former content.
  func finish() throws {
    // absent is an answer: there is nothing to overwrite if the key file is gone.
    let former: Int32?
    do { former = try SystemCalls.open(path, O_WRONLY | O_NOFOLLOW) } catch { former = nil }
    defer { if let former { close(former) } }
    guard unsafe rename(draft, path) == 0 else {
      throw VaultError.file(path: path, call: "rename", errno: errno)
    }
    try FileSafety.syncDirectory(SystemCalls.directory(of: path))
    guard let former else { return }
    bestEffort("the former content opens only copies from before, as any copy of it does") {
      var status = stat()
      guard unsafe fstat(former, &status) == 0, status.st_nlink == 0 else { return }
      try SystemCalls.writeAll([UInt8](repeating: 0, count: Int(status.st_size)), to: former)
      try SystemCalls.sync(former)
    }
  }

  private var notReplaceable: VaultError {
    .keyFileNotReplaceable(path: path, group: configuration.group)
  }

  /// Content that is provided from elsewhere, or that another group needs, must not change.
  private func isOurs() throws -> Bool {
    guard configuration.keyFile == nil, try !isOfOtherGroup() else { return false }
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return errno == ENOENT }
    return status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid() && status.st_nlink == 1
      && Int(status.st_size) == KeyFileCustodian.createdSize
  }

  /// Whether the manifest of another group names the file, by this path or another one. So may the
  /// staged manifest of a group whose rekey was interrupted.
  private func isOfOtherGroup() throws -> Bool {
    let manifests = configuration.manifests
    let file = FileSafety.identity(of: path)
    func names(_ manifest: GroupManifest?) -> Bool {
      guard case .keyFile(let other)? = manifest?.custody else { return false }
      return other == path || (file != nil && FileSafety.identity(of: other) == file)
    }
    for name in try manifests.names() where name != configuration.group {
      do {
        if names(try manifests.staged(name)) { return true }
        if names(try manifests.find(name).manifest) { return true }
      } catch {
        switch error {
        // It was removed meanwhile, or is a link to nothing.
        case .noManifest: continue
        // A manifest that cannot be used might name the file.
        case .badManifest: return true
        default: throw error
        }
      }
    }
    return false
  }
}
