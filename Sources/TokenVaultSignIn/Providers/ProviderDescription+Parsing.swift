package import TokenVaultModel

extension ProviderDescription {
  /// The defect of a provider file. The text is a member's name.
  package enum Fault: Error, Hashable, Sendable {
    case unknown(String), missing(String), bad(String)
  }

  /// Parses the members of a provider file.
  /// - Parameters:
  ///   - members: The members; of a repeated name only one may be left.
  ///   - url: The URL that the user gave, in the place of the issuer.
  package init(_ members: [JSONValue.Member], url: Authority? = nil) throws(Fault) {
    let given = Dictionary(members.map { ($0.name, $0.value) }) { $1 }
    let reader = Reader(members: given, url: url?.url)
    if let unknown = given.keys.sorted().first(where: { !Self.members.contains($0) }) {
      throw .unknown(unknown)
    }
    guard let name = try reader.text("name") else { throw .missing("name") }
    self.name = name
    takesURL = try reader.flag("takesUrl")
    if url != nil, !takesURL { throw .bad("takesUrl") }
    isElsewhere = url != nil
    let ownIssuer = try reader.authority("issuer")
    issuer = url ?? ownIssuer
    guard issuer != nil || takesURL else { throw .missing("issuer") }
    authorizationEndpoint = try reader.endpoint("authorizationEndpoint", issuer)
    tokenEndpoint = try reader.endpoint("tokenEndpoint", issuer)
    deviceAuthorizationEndpoint = try reader.endpoint("deviceAuthorizationEndpoint", issuer)
    revocationEndpoint = try reader.endpoint("revocationEndpoint", issuer)
    userEndpoint = try reader.endpoint("userEndpoint", issuer)
    userID = try reader.text("userId") ?? ""
    userName = try reader.text("userName") ?? ""
    scopes = try reader.texts("scopes")
    impliedScopes = try reader.lists("impliedScopes")
    scopeSeparator = try reader.character("scopeSeparator") ?? " "
    hasTokensWithoutExpiry = try reader.flag("tokensWithoutExpiry")
    clientID = try reader.text("clientId")
    clientSecret = try reader.text("clientSecret")
    redirectURI = try reader.redirectURI("redirectUri")
    prefersDeviceCode = try reader.choice("flow", among: ["browser", "device-code"]) == 1
    apiHosts = try reader.hosts("apiHosts")
    credentialHosts = try reader.hosts("credentialHosts") ?? []
    credentialUsername = try reader.text("credentialUsername") ?? "oauth2"
    credentialScopes = try reader.texts("credentialScopes")
    takesBearerCredentials =
      try reader.choice("credentialScheme", among: ["basic", "bearer"]) == 1
    registrationPage = try reader.link("registrationPage")
    registrationHelp = try reader.text("registrationHelp") ?? ""
    revocationPage = try reader.page("revocationPage")
    portalPage = try reader.page("portalPage")
    refreshTokenIdleDays = try reader.days("refreshTokenIdleDays")
    try requireSense()
    if let url { forgetClient(of: ownIssuer, at: url) }
  }

  /// A client belongs to the server that registered it. Its secret is never sent to another one.
  private mutating func forgetClient(of ownIssuer: Authority?, at url: Authority) {
    guard ownIssuer?.isSameServer(as: url) != true else { return }
    clientSecret = nil
    if ownIssuer != nil { clientID = nil }
  }

  /// The members of a provider file.
  package static let members: Set = [
    "name", "issuer", "takesUrl", "authorizationEndpoint", "tokenEndpoint",
    "deviceAuthorizationEndpoint", "revocationEndpoint", "userEndpoint", "userId", "userName",
    "scopes", "impliedScopes", "scopeSeparator", "tokensWithoutExpiry", "clientId", "clientSecret",
    "redirectUri", "flow", "apiHosts", "credentialHosts", "credentialUsername", "credentialScopes",
    "credentialScheme", "registrationPage", "registrationHelp", "revocationPage",
    "portalPage", "refreshTokenIdleDays",
  ]

  /// A provider is described either by its discovery document or by all of its endpoints: a user
  /// who is named by an endpoint of the file must not be mixed up with one of an ID token.
  private func requireSense() throws(Fault) {
    if clientSecret != nil, clientID == nil { throw .missing("clientId") }
    guard tokenEndpoint != nil else {
      if authorizationEndpoint != nil || userEndpoint != nil { throw .missing("tokenEndpoint") }
      return
    }
    guard !takesURL else { throw .bad("takesUrl") }
    guard issuer?.isMicrosoft == false else { throw .bad("issuer") }
    guard userEndpoint != nil else { throw .missing("userEndpoint") }
    guard !userID.isEmpty else { throw .missing("userId") }
    guard authorizationEndpoint != nil || deviceAuthorizationEndpoint != nil else {
      throw .missing("authorizationEndpoint")
    }
  }

  /// Reads members by their types. In each text `{url}` stands for the issuer without its trailing
  /// slash, and `{host}` for its host and port.
  private struct Reader {
    let members: [String: JSONValue]
    private var url = "https://HOST"
    private var host = "host"

    init(members: [String: JSONValue], url: String?) {
      self.members = members
      guard let text = url ?? members["issuer"]?.text, let address = HTTPURL(text) else { return }
      self.url = AccountIdentity.bare(text)
      host = String(address.origin.drop { $0 != ":" }.dropFirst(3))
    }

    private func filled(_ text: String) -> String {
      text.replacing("{url}", with: url).replacing("{host}", with: host)
    }

    func text(_ name: String) throws(Fault) -> String? {
      guard let value = members[name] else { return nil }
      guard let text = value.text, !text.isEmpty, text.utf8.count <= 2048,
        !text.hasControlCharacters
      else { throw .bad(name) }
      return filled(text)
    }

    func flag(_ name: String) throws(Fault) -> Bool {
      switch members[name] {
      case nil: return false
      case .bool(let flag)?: return flag
      default: throw .bad(name)
      }
    }

    func days(_ name: String) throws(Fault) -> Int64? {
      guard let value = members[name] else { return nil }
      guard case .number(let literal) = value, let days = Int64(literal), (1...3650).contains(days)
      else { throw .bad(name) }
      return days
    }

    func texts(_ name: String) throws(Fault) -> [String] {
      guard let value = members[name] else { return [] }
      return try texts(value, name)
    }

    private func texts(_ value: JSONValue, _ name: String) throws(Fault) -> [String] {
      guard let elements = value.elements else { throw .bad(name) }
      let texts = elements.compactMap(\.text)
      guard texts.count == elements.count,
        texts.allSatisfy({ text in
          !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
        })
      else { throw .bad(name) }
      return texts.map(filled)
    }

    func lists(_ name: String) throws(Fault) -> [String: [String]] {
      guard let value = members[name] else { return [:] }
      guard let members = value.members else { throw .bad(name) }
      var lists: [String: [String]] = [:]
      for member in members { lists[member.name] = try texts(member.value, name) }
      return lists
    }

    func character(_ name: String) throws(Fault) -> Character? {
      guard let text = try text(name) else { return nil }
      guard text.utf8.count == 1 else { throw .bad(name) }
      return text.first
    }

    /// The index of the value among the allowed ones; nil if there is none.
    func choice(_ name: String, among allowed: [String]) throws(Fault) -> Int? {
      guard let text = try text(name) else { return nil }
      guard let index = allowed.firstIndex(of: text) else { throw .bad(name) }
      return index
    }

    func authority(_ name: String) throws(Fault) -> Authority? {
      guard let text = try text(name) else { return nil }
      do { return try Authority(text) } catch { throw .bad(name) }
    }

    func redirectURI(_ name: String) throws(Fault) -> RedirectURI? {
      guard let text = try text(name) else { return nil }
      do { return try RedirectURI(text) } catch { throw .bad(name) }
    }

    /// Tokens are sent to it, so it is on this machine only if the provider is.
    func endpoint(_ name: String, _ issuer: Authority?) throws(Fault) -> HTTPURL? {
      guard let address = try page(name) else { return nil }
      guard address.scheme == "https" || issuer?.address.isLoopback == true else {
        throw .bad(name)
      }
      return address
    }

    func page(_ name: String) throws(Fault) -> HTTPURL? {
      guard let text = try text(name) else { return nil }
      guard let address = HTTPURL(text), address.isConfidential else { throw .bad(name) }
      return address
    }

    /// A page that is shown and never opened by the program; it may have a fragment.
    func link(_ name: String) throws(Fault) -> String? {
      guard let text = try text(name) else { return nil }
      guard HTTPURL(String(text.prefix { $0 != "#" }))?.isConfidential == true,
        text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
      else { throw .bad(name) }
      return text
    }

    func hosts(_ name: String) throws(Fault) -> [String]? {
      guard members[name] != nil else { return nil }
      let hosts = try texts(name)
      for host in hosts {
        let bare = host.hasPrefix("*.") ? String(host.dropFirst(2)) : host
        guard bare == bare.lowercased(), HTTPURL.hostAndPort(bare) != nil else { throw .bad(name) }
      }
      return hosts
    }
  }
}
