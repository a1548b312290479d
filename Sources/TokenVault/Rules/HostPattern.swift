package import TokenVaultSignIn

/// The host of an address, perhaps with a path, or all hosts of a domain.
package struct HostPattern: Hashable, Sendable, CustomStringConvertible {
  private enum Form: Hashable {
    /// A service: its origin and path.
    case service(ServiceURL)
    /// Every host below a domain, by https at the default port.
    case domain(String)
  }

  private let form: Form

  /// Parses `HOST`, `HOST:PORT`, `HOST/PATH`, an http or https URL, or `*.DOMAIN`; nil for any other
  /// text. A host without a scheme means https.
  package init?(_ text: String) {
    if text.hasPrefix("*.") {
      let domain = text.dropFirst(2).lowercased()
      guard let (host, port) = HTTPURL.hostAndPort(domain), port == nil, host.contains(".") else {
        return nil
      }
      form = .domain(host)
    } else {
      guard let service = ServiceURL(text) else { return nil }
      form = .service(service)
    }
  }

  package var description: String {
    switch form {
    case .service(let service): service.description
    case .domain(let domain): "*.\(domain)"
    }
  }

  /// Whether an address is at the host, and at or below the path.
  package func matches(_ address: HTTPURL) -> Bool {
    switch form {
    case .service(let service): service.covers(address)
    case .domain(let domain):
      address.scheme == "https" && address.port == nil && address.host.hasSuffix("." + domain)
    }
  }

  /// Whether an address is at the host by any scheme and at any port, and may be at or below the path.
  func mayMatch(_ address: HTTPURL) -> Bool {
    switch form {
    case .domain(let domain): return address.host.hasSuffix("." + domain)
    case .service(let service):
      guard let own = HTTPURL(service.description), address.host == own.host else { return false }
      let segments = address.segments.map { $0.lowercased() }
      let isPlain = segments.allSatisfy { segment in
        ![".", ".."].contains(segment) && !segment.contains { "%;\\".contains($0) }
      }
      return segments.isEmpty || !isPlain
        || segments.starts(with: own.segments.map { $0.lowercased() })
    }
  }

  /// The longer, the more specific; a host is more specific than every domain.
  var weight: Int {
    switch form {
    case .service(let service): 10_000 + service.description.utf8.count
    case .domain(let domain): domain.utf8.count
    }
  }
}
