import TokenVaultSignIn

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
    if let directory, situation.isBelow(directory) != true { return false }
    if let host, situation.address.map(host.matches) != true { return false }
    if let audience, !situation.isFor(audience: audience) { return false }
    if let tenant, situation.tenant?.lowercased() != tenant.lowercased() { return false }
    // Last, because git may have to be asked.
    if let remote, !situation.remotes.contains(where: remote.matches) { return false }
    return true
  }

  /// Whether all conditions hold or may hold. A denial that gives way to a doubt, or to another
  /// spelling of an address, protects nothing: a server may resolve and decode a path in several
  /// steps, git names no path by default, and the repository of a clone has no remotes yet.
  package func mayHold(in situation: Situation) -> Bool {
    if let directory, situation.isBelow(directory) == false { return false }
    if let host, situation.address.map(host.mayMatch) != true { return false }
    if let audience, !situation.mayBeFor(audience: audience) { return false }
    if let tenant, situation.tenant?.lowercased() != tenant.lowercased() { return false }
    if let remote, !situation.mayBeAbout(remote) { return false }
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
