import TokenVault
import TokenVaultModel

/// A group that can be shown.
struct FoundGroup: Hashable, Sendable {
  let name: GroupName
  let hasFile: Bool
}

extension Invocation {
  /// The groups with a file, and after them those with only a manifest.
  func foundGroups() throws -> [FoundGroup] {
    let files = try groupsOnDisk()
    let manifests = Manifests(
      directories: try configuration(.universalStorage).manifestDirectories)
    let others = try Set(manifests.names()).subtracting(files).sorted()
    return files.map { FoundGroup(name: $0, hasFile: true) }
      + others.map { FoundGroup(name: $0, hasFile: false) }
  }
}
