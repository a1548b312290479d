package import TokenVaultModel
package import TokenVaultSignIn

/// The circumstances in which an account is sought.
package struct Situation {
  /// A remote of a git repository.
  package struct Remote: Hashable, Sendable {
    let name: String
    let url: String

    /// A remote with its name and one of its URLs.
    package init(name: String, url: String) {
      self.name = name
      self.url = url
    }
  }

  /// The working directory, symlinks resolved; nil if it is gone.
  package var directory: String?
  /// The address that a credential is for.
  package var address: HTTPURL?
  /// The resources that a token is for.
  package var audiences: [String] = []
  /// Whether a scope names no resource. Microsoft Entra takes it for one of Microsoft Graph.
  package var hasBareScopes = false
  /// The tenant that a token is requested for.
  package var tenant: String?
  private let remotesOfDirectory: () -> [Remote]?

  /// - Parameter remotes: Reads the remotes of the directory's repository, nil if that fails; it is
  ///   called only if a rule has a remote and the address has no path.
  package init(remotes: @escaping () -> [Remote]? = { [] }) { remotesOfDirectory = remotes }

  /// Takes over what a request for a token is for.
  package mutating func take(scopes: ScopeSet, resource: String?) {
    audiences = (resource.map { [$0] } ?? []) + scopes.resources
    hasBareScopes = scopes.hasBareScopes
  }

  /// Nil if the directory is not known.
  func isBelow(_ path: String) -> Bool? {
    directory.map { path == "/" || $0 == path || $0.hasPrefix(path + "/") }
  }

  func isFor(audience: String) -> Bool {
    audiences.contains { Self.bare($0) == Self.bare(audience) }
  }

  func mayBeFor(audience: String) -> Bool {
    isFor(audience: audience) || hasBareScopes && Self.bare(audience) == ScopeSet.graph
  }

  /// A resource without what its scopes have at their end.
  private static func bare(_ resource: String) -> String {
    var text = resource.lowercased()
    if text.hasSuffix("/.default") { text.removeLast("/.default".count) }
    while text.hasSuffix("/") { text.removeLast() }
    return text
  }

  /// The repositories that are meant: the one of the address if it has a path, otherwise that of the
  /// remote `origin`, or of all remotes if there is none of that name; each at the host of the address
  /// if there is one.
  var remotes: [RemotePattern] {
    if let address, !address.segments.isEmpty {
      return RemotePattern(address).map { [$0] } ?? []
    }
    let all = remotesOfDirectory() ?? []
    let origin = all.filter { $0.name == "origin" }
    return (origin.isEmpty ? all : origin).compactMap { RemotePattern(url: $0.url) }
      .filter { pattern in address.map { pattern.host == $0.host } ?? true }
  }

  /// Whether the repository may be one of these.
  func mayBeAbout(_ pattern: RemotePattern) -> Bool {
    if let address {
      guard address.host == pattern.host else { return false }
      if !address.segments.isEmpty {
        guard !address.path.contains("%"), let repository = RemotePattern(address) else {
          return true
        }
        return pattern.matches(repository)
      }
    }
    guard let all = remotesOfDirectory() else { return true }
    let known = all.compactMap { RemotePattern(url: $0.url) }.filter { $0.host == pattern.host }
    // Without a remote at this host, the repository is about to be cloned.
    return address != nil && known.isEmpty || known.contains(where: pattern.matches)
  }
}
