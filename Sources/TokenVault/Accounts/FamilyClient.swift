import TokenVaultGroupStore
import TokenVaultModel

/// A client, with the application metadata that imported caches and earlier sign-ins left.
struct FamilyClient {
  let id: String
  private let apps: [MSALCache.App]

  init(_ id: String, in transaction: GroupTransaction) throws {
    self.id = id
    apps = try CacheExtras.read(transaction).apps.filter { CaseFolding.equal($0.clientID, id) }
  }

  /// Whether the Microsoft family's refresh token may serve the client: metadata without a family
  /// says no; without metadata, nothing has tried yet.
  func mayBeInFamily(at environment: String) -> Bool {
    let known = apps.filter { CloudEnvironment.same($0.environment, environment) }
    return known.isEmpty || known.contains { !$0.familyID.isEmpty }
  }
}
