import TokenVault
import TokenVaultCrypto
import TokenVaultModel
import TokenVaultPlaintext

/// Brings findings into the vault, and reads them back.
///
/// The groups are opened once, so that a passphrase is typed once.
final class AuditVault {
  private let invocation: Invocation
  private var place: (vault: GroupSession, group: GroupName)?
  private var cachePlace: (vault: GroupSession, group: GroupName)?
  private var searched: [GroupSession]?

  init(_ invocation: Invocation) { self.invocation = invocation }

  /// The outcome of an import.
  enum Outcome: Hashable {
    case stored(group: GroupName)
    /// The group has exactly this secret.
    case unchanged(group: GroupName)
    /// The group has all tokens of this cache, some of them newer.
    case newer(group: GroupName)
    /// The group has another secret of the same user name at the same service.
    case conflict(group: GroupName)
    case notStorable(String)

    var isInVault: Bool {
      switch self {
      case .stored, .unchanged: true
      case .newer, .conflict, .notStorable: false
      }
    }
  }

  // MARK: Importing

  /// Stores the findings that are not in the vault.
  func importing(_ audit: Audit) throws -> [Audit.Finding: Outcome] {
    var outcomes: [Audit.Finding: Outcome] = [:]
    var caches: [Int: Outcome] = [:]
    for finding in audit.findings {
      let file = audit.files[finding.file]
      if file.content.format == .msalCache {
        let known = try caches[finding.file] ?? importCache(file)
        caches[finding.file] = known
        outcomes[finding] = known
      } else {
        outcomes[finding] = try store(audit.secret(finding), of: file)
      }
    }
    return outcomes
  }

  private func store(_ secret: PlaintextSecret, of file: AuditedFile) throws -> Outcome {
    guard let place = Self.place(of: secret) else { return .notStorable(Self.lack(of: secret)) }
    let (vault, group) = try placeOfSecrets()
    let secrets = ServiceSecrets(vault)
    if let known = try secrets.exact(place.service, username: place.username) {
      return Self.isSame(known, secret) ? .unchanged(group: group) : .conflict(group: group)
    }
    let (_, madeGroup, _) = try secrets.store(
      place.secret, service: place.service, username: place.username,
      expiresOn: secret.expiresOn, as: secret.isBearer == true ? .bearer : nil,
      from: SecretOrigin(tool: file.content.format.helper, refreshToken: secret.refreshToken))
    invocation.tellOfNewGroup(madeGroup, group)
    return .stored(group: group)
  }

  private func placeOfSecrets() throws -> (vault: GroupSession, group: GroupName) {
    if let place { return place }
    let selection = try invocation.selectGroupOfSecrets()
    let found = (vault: try invocation.vault(of: selection), group: selection.group)
    place = found
    return found
  }

  private func placeOfCaches() throws -> (vault: GroupSession, group: GroupName) {
    if let cachePlace { return cachePlace }
    let selection = try invocation.select(needsAccount: false)
    let found = (vault: try invocation.vault(of: selection), group: selection.group)
    cachePlace = found
    return found
  }

  private func importCache(_ file: AuditedFile) throws -> Outcome {
    let (vault, group) = try placeOfCaches()
    let cache: MSALCache
    do { cache = try MSALCache(json: file.content.bytes) } catch {
      return .notStorable("it is not a cache that can be imported")
    }
    switch try presence(of: cache, in: vault) {
    case .same: return .unchanged(group: group)
    case .newer: return .newer(group: group)
    case .missing: break
    }
    let report = try CacheImport(vault).run(cache, from: file.place, needsContent: true)
    invocation.tellOfNewGroup(report.madeGroup, group)
    return .stored(group: group)
  }

  // MARK: Reading back

  enum Presence {
    case same
    /// The vault has a newer token instead.
    case newer
    case missing
  }

  /// Whether a vault has the secret, read from it now.
  func presence(of finding: Audit.Finding, in audit: Audit) throws -> Presence {
    let file = audit.files[finding.file]
    if file.content.format == .msalCache {
      // absent is an answer: a cache that cannot be imported is in no vault.
      let cache: MSALCache
      do { cache = try MSALCache(json: file.content.bytes) } catch { return .missing }
      return try presence(of: cache, in: placeOfCaches().vault)
    }
    let secret = audit.secret(finding)
    guard let place = Self.place(of: secret) else { return .missing }
    let vaults = try searched ?? CredentialSearch(invocation).vaults()
    searched = vaults
    let isKnown = try vaults.contains { vault in
      let known = try ServiceSecrets(vault).exact(place.service, username: place.username)
      return known.map { Self.isSame($0, secret) } ?? false
    }
    return isKnown ? .same : .missing
  }

  /// Rehearses an import. If it would store nothing, the vault has the same tokens, or newer ones.
  private func presence(of cache: MSALCache, in vault: GroupSession) throws -> Presence {
    let report = try CacheImport(vault).run(cache, isRehearsal: true, needsContent: true)
    guard report.credentials == 0, report.added.isEmpty, !report.madeGroup else { return .missing }
    return report.olderCredentials == 0 ? .same : .newer
  }

  private static func isSame(_ found: ServiceSecrets.Found, _ secret: PlaintextSecret) -> Bool {
    guard let bytes = secret.secret?.reveal(),
      ConstantTime.equal(found.secret.reveal(), bytes)
    else { return false }
    guard let refresh = secret.refreshToken?.reveal() else { return true }
    return found.origin.refreshToken.map { ConstantTime.equal($0.reveal(), refresh) } ?? false
  }

  // MARK: Places

  private typealias Place = (
    service: ServiceURL, username: String, secret: Redacted<[UInt8]>
  )

  private static func place(of secret: PlaintextSecret) -> Place? {
    guard let bytes = secret.secret, let username = secret.username,
      ServiceSecrets.isStorable(username: username),
      let service = secret.service.flatMap({ ServiceURL($0) })
    else { return nil }
    return (service, username, bytes)
  }

  private static func lack(of secret: PlaintextSecret) -> String {
    if secret.secret == nil { return "no helper can use it" }
    guard let username = secret.username, ServiceSecrets.isStorable(username: username) else {
      return "its user name is not known"
    }
    return "the address of its service is not known"
  }
}
