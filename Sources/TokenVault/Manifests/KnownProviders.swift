import TokenVaultModel
package import TokenVaultSignIn

/// The providers known by name: the built-in ones, and those of the user's provider files.
///
/// A user's file with the name of a built-in provider replaces the members that it has, so that it
/// can add a client id with one line. Files are read when a provider is looked for, and never to
/// serve a stored token.
package struct KnownProviders: Sendable {
  /// The directory of the user's files; nil for none.
  private let directory: String?

  package init(directory: String?) { self.directory = directory }

  /// The path of the user's file of a provider, which need not exist; nil without a directory.
  package func path(_ name: String) -> String? { directory.map { "\($0)/\(name).json" } }

  /// The names of all providers, the built-in ones first.
  package func names() throws(VaultError) -> [String] {
    BuiltInProviders.names + (try ownNames().filter { !BuiltInProviders.names.contains($0) })
  }

  /// The provider with this name; nil for none.
  /// - Parameter url: The URL of a provider that is installed in several places.
  /// - Throws: ``VaultError/badManifest(path:fault:)`` if the user's file cannot be used, or has the
  ///   issuer of another provider.
  package func named(
    _ name: String, url: Authority? = nil
  ) throws(VaultError) -> ProviderDescription? {
    guard let provider = try parsed(name, url: url) else { return nil }
    if !provider.isElsewhere, let issuer = provider.issuer, !issuer.isMicrosoft {
      _ = try described(issuer)
    }
    return provider
  }

  private func parsed(
    _ name: String, url: Authority? = nil
  ) throws(VaultError) -> ProviderDescription? {
    guard Self.isName(name) else { return nil }
    let own = try path(name).flatMap { path throws(VaultError) in try Self.members(path) }
    let builtIn = BuiltInProviders.members(name)
    guard own != nil || builtIn != nil else { return nil }
    let replaced = Set((own ?? []).map(\.name))
    let members = (builtIn ?? []).filter { !replaced.contains($0.name) } + (own ?? [])
    do {
      var provider = try ProviderDescription(members, url: url)
      provider.key = name
      return provider
    } catch {
      throw .badManifest(path: path(name) ?? name, fault: ManifestFault(error))
    }
  }

  /// The provider that an authority is; nil if it is described only by its discovery document.
  /// Microsoft's need no description.
  package func of(_ authority: Authority) throws(VaultError) -> ProviderDescription? {
    guard !authority.isMicrosoft else { return nil }
    let (provider, fault) = try described(authority)
    if provider == nil, let fault { throw fault }
    return provider
  }

  /// The provider with this issuer, and the first fault of a file.
  ///
  /// The issuer alone says to which server a refresh token of an account belongs. A second file with
  /// the issuer could send it to another server, and is refused.
  private func described(
    _ authority: Authority
  ) throws(VaultError) -> (ProviderDescription?, VaultError?) {
    var (found, fault): (ProviderDescription?, VaultError?)
    let own = try ownNames()
    for name in BuiltInProviders.names.filter({ !own.contains($0) }) + own {
      let provider: ProviderDescription?
      do { provider = try parsed(name) } catch {
        fault = fault ?? error
        continue
      }
      guard let provider, provider.describes(authority) else { continue }
      if let found {
        throw .badManifest(path: path(name) ?? name, fault: .issuerTaken(by: found.key))
      }
      found = provider
    }
    return (found, fault)
  }

  /// The providers whose issuer is at this host.
  package func at(host: String) throws(VaultError) -> [ProviderDescription] {
    var found: [ProviderDescription] = []
    for name in try names() {
      if let provider = try parsed(name), provider.issuer?.environment == host {
        found.append(provider)
      }
    }
    return found
  }

  private func ownNames() throws(VaultError) -> [String] {
    guard let directory else { return [] }
    return try GroupFiles.texts(in: directory, suffix: ".json").filter(Self.isName).sorted()
  }

  private static func members(_ path: String) throws(VaultError) -> [JSONValue.Member]? {
    guard let bytes = try SmallFile.read(path) else { return nil }
    return try JSONFile.members(bytes, path: path)
  }

  /// Names are lower case, so that a file name stands for one provider on every file system.
  private static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: "-")
      && text.utf8.allSatisfy {
        (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
      }
  }
}

extension ManifestFault {
  fileprivate init(_ fault: ProviderDescription.Fault) {
    switch fault {
    case .unknown(let member): self = .unknownField(member)
    case .missing(let member): self = .missingField(member)
    case .bad(let member): self = .badValue(member)
    }
  }
}
