package import TokenVaultSignIn

/// A git host with an owner, or with a repository of an owner.
package struct RemotePattern: Hashable, Sendable, CustomStringConvertible {
  /// The host in lower case, without a port.
  package let host: String
  /// The segments of the path in lower case: hosts of repositories compare them without case.
  private let path: [String]

  /// `HOST/OWNER`, `HOST/OWNER/NAME`.
  package var description: String { ([host] + path).joined(separator: "/") }

  /// Parses `HOST/OWNER[/NAME]`; nil for any other text.
  package init?(_ text: String) {
    guard !text.contains(":"), !text.contains("@") else { return nil }
    self.init(host: text.prefix { $0 != "/" }, path: text.drop { $0 != "/" })
  }

  /// The repository of an address; nil if it has no path.
  package init?(_ address: HTTPURL) {
    self.init(host: address.host[...], path: address.path[...])
  }

  /// Parses the URL of a remote as git writes it: `https://HOST/OWNER/NAME.git`,
  /// `ssh://git@HOST:PORT/OWNER/NAME`, or `git@HOST:OWNER/NAME` (gitformat-remote). Nil for a path.
  package init?(url: String) {
    if let scheme = url.firstRange(of: "://") {
      let rest = url[scheme.upperBound...]
      let authority = rest.prefix { $0 != "/" }
      let host = authority.split(separator: "@").last ?? ""
      self.init(host: host.prefix { $0 != ":" }, path: rest.drop { $0 != "/" })
    } else {
      guard let colon = url.firstIndex(of: ":"), !url[..<colon].contains("/") else { return nil }
      let host = url[..<colon].split(separator: "@").last ?? ""
      self.init(host: host, path: url[url.index(after: colon)...])
    }
  }

  private init?(host: Substring, path: Substring) {
    let name = host.lowercased()
    guard HTTPURL.hostAndPort(name)?.port == nil, HTTPURL.hostAndPort(name) != nil else {
      return nil
    }
    var segments = path.lowercased().split(separator: "/").map(String.init)
    guard let last = segments.indices.last, path.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f })
    else { return nil }
    // All of them: the rest is written to a file, and reading it there must not shorten it again.
    while segments[last].hasSuffix(".git") { segments[last].removeLast(4) }
    // Without its name, a repository would stand for all of its owner.
    guard !segments.contains(where: { ["", ".", ".."].contains($0) }) else { return nil }
    self.host = name
    self.path = segments
  }

  /// Whether the other one is this repository, or one of this owner.
  func matches(_ other: RemotePattern) -> Bool {
    host == other.host && other.path.starts(with: path)
  }
}
