import TokenVaultGroupStore
import TokenVaultModel

/// A client, with the application metadata from imported caches and earlier sign-ins.
struct FamilyClient {
  let id: String
  private let apps: [MSALCache.App]

  init(_ id: String, in transaction: GroupTransaction) throws {
    self.id = id
    apps = try CacheExtras.read(transaction).apps.filter { CaseFolding.equal($0.clientID, id) }
  }

  /// Whether the Microsoft family's refresh token may work for this client. Metadata without a
  /// family excludes it; without metadata it has not been tried yet.
  func mayBeInFamily(at environment: String) -> Bool {
    let known = apps.filter { CloudEnvironment.same($0.environment, environment) }
    return known.isEmpty || known.contains { !$0.familyID.isEmpty }
  }

  /// Whether metadata say that this client is in the family.
  func isInFamily(at environment: String) -> Bool {
    apps.contains { CloudEnvironment.same($0.environment, environment) && !$0.familyID.isEmpty }
  }
}
