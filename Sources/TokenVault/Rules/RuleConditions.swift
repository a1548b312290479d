package import TokenVaultSignIn

/// The conditions of a rule. The rule applies where all of them hold.
package struct RuleConditions: Hashable, Sendable, CustomStringConvertible {
  /// The directory and everything below it; absolute, symlinks resolved.
  package var directory: String?
  /// The owner or repository of a git remote: `HOST/OWNER` or `HOST/OWNER/NAME`.
  package var remote: RemotePattern?
  /// The host, and perhaps the path, of the address that a credential is for.
  package var host: HostPattern?
  /// The resource that a token is for, such as `https://graph.microsoft.com`.
  package var audience: String?
  /// The tenant that a token is requested for.
  package var tenant: String?

  /// No condition.
  package init() {}

  /// The conditions as people read them; a directory alone is its path.
  package var description: String { parts.map(\.text).joined(separator: ", ") }

  /// The name and the text of each condition, the most important one first.
  package var parts: [(kind: String, text: String)] {
    let all = [
      ("remote", remote?.description), ("host", host?.description), ("audience", audience),
      ("tenant", tenant), ("directory", directory),
    ]
    return all.compactMap { kind, text in text.map { (kind, $0) } }
  }

  /// Whether there is no condition.
  package var isEmpty: Bool { self == RuleConditions() }

  /// Whether all conditions hold.
  package func hold(in situation: Situation) -> Bool {
    if let directory, !situation.isBelow(directory) { return false }
    if let host, situation.address.map(host.matches) != true { return false }
    if let audience, !situation.isFor(audience: audience) { return false }
    if let tenant, situation.tenant?.lowercased() != tenant.lowercased() { return false }
    // Last, because the remotes may have to be asked of git.
    if let remote, !situation.remotes.contains(where: remote.matches) { return false }
    return true
  }

  /// Whether this is the more specific one of two sets of conditions: a remote comes before a host, a
  /// host before an audience, a tenant and a directory, and of two of one kind the longer one.
  package func isMoreSpecific(than other: RuleConditions) -> Bool {
    other.weight.lexicographicallyPrecedes(weight)
  }

  private var weight: [Int] {
    [
      remote?.description.utf8.count ?? 0, host?.weight ?? 0, audience == nil ? 0 : 1,
      tenant == nil ? 0 : 1, directory?.utf8.count ?? 0,
    ]
  }
}

/// The circumstances in which an account is sought.
package struct Situation {
  /// The working directory, symlinks resolved; nil if it is gone.
  package var directory: String?
  /// The address that a credential is for.
  package var address: HTTPURL?
  /// The resource that a token is for.
  package var audience: String?
  /// The tenant that a token is requested for.
  package var tenant: String?
  private let remotesOfDirectory: () -> [String]

  /// - Parameter remotes: Reads the URLs of the repository's remotes; it is called only if a rule has
  ///   a remote and the address has no path.
  package init(remotes: @escaping () -> [String] = { [] }) { remotesOfDirectory = remotes }

  fileprivate func isBelow(_ path: String) -> Bool {
    guard let directory else { return false }
    return path == "/" || directory == path || directory.hasPrefix(path + "/")
  }

  fileprivate func isFor(audience other: String) -> Bool {
    audience.map(Self.bare) == Self.bare(other)
  }

  /// A resource without what its scopes have at their end.
  private static func bare(_ resource: String) -> String {
    var text = resource.lowercased()
    if text.hasSuffix("/.default") { text.removeLast("/.default".count) }
    while text.hasSuffix("/") { text.removeLast() }
    return text
  }

  /// The repositories that are meant: the one of the address if it has a path, otherwise those of the
  /// working directory's remotes, at the host of the address if there is one.
  fileprivate var remotes: [RemotePattern] {
    if let address, let repository = RemotePattern(address) { return [repository] }
    let all = remotesOfDirectory().compactMap(RemotePattern.init(url:))
    guard let address else { return all }
    return all.filter { $0.host == address.host }
  }
}
