import TokenVaultCrypto
import TokenVaultModel
import TokenVaultSignIn

extension HelperProtocol {
  /// Git's credential helpers (git-credential(1), gitcredentials(7)).
  package static let git = HelperProtocol(
    name: "git", programs: ["git-credential-tokenvault"],
    readsInput: { ["get", "store", "erase"].contains($0.first) }, beginsWithVerb: true,
    acceptsExpired: true,
    begin: GitHelper.begin)
}

/// One request of git.
private struct GitHelper {
  private var values: [String: String] = [:]
  private var capabilities: Set<String> = []

  static func begin(_ call: HelperCall) -> HelperStep {
    // Git ignores a helper that fails or says nothing, and asks the next one. An operation of a
    // later version of git is not an error.
    switch call.arguments.first {
    case "get", "store", "erase": break
    case "capability": return .answered(HelperAnswer("version 0\ncapability authtype\n"))
    case nil:
      return .answered(
        HelperAnswer(
          message: "Git calls this helper with get, store or erase; see docs/tools/git.md.",
          status: 64))
    default: return .answered(HelperAnswer())
    }
    guard let request = GitHelper(call.input), let place = request.place else {
      return .answered(HelperAnswer())
    }
    switch call.arguments[0] {
    case "get": return .asks(.find(place)) { request.answer(to: $0) }
    case "store":
      guard let new = request.newCredential(at: place) else { return .answered(HelperAnswer()) }
      return .asks(.store(new), Self.silent)
    default:
      let secret = request.values["password"] ?? request.values["credential"]
      return .asks(.erase(place, secret: secret.map { Redacted(Array($0.utf8)) }), Self.silent)
    }
  }

  /// The longest line, with its line feed.
  private static let longestLine = 65_535

  /// Nil if a line is too long, has a NUL or a carriage return, is not UTF-8, or is no `key=value`.
  /// A carriage return would let one server pass for another (CVE-2024-52006).
  private init?(_ input: [UInt8]) {
    for line in input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      if line.isEmpty { break }
      guard line.count < Self.longestLine, !line.contains(0), !line.contains(0x0d),
        let text = String(validating: line, as: UTF8.self),
        let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")), equals > text.startIndex
      else { return nil }
      take(String(text[..<equals]), String(text[text.utf8.index(after: equals)...]))
    }
  }

  private mutating func take(_ key: String, _ value: String) {
    guard key.hasSuffix("[]") else {
      values[key] = value
      return
    }
    guard key == "capability[]" else { return }
    // An empty value resets the list.
    if value.isEmpty { capabilities = [] } else { capabilities.insert(value) }
  }

  /// Nil for a protocol that is not HTTP, and for a host that no stored address can have.
  private var place: CredentialQuery? {
    guard let scheme = values["protocol"], ["http", "https"].contains(scheme),
      let host = values["host"], !host.isEmpty
    else { return nil }
    let path = values["path"].map { $0.hasPrefix("/") ? $0 : "/" + $0 } ?? ""
    guard !host.contains("/"), !host.contains("?"),
      let address = HTTPURL("\(scheme)://\(host)\(path)")
    else { return nil }
    return CredentialQuery(address, username: values["username"].flatMap { $0.isEmpty ? nil : $0 })
  }

  /// Nil if git has no user name or no password: a credential without a user name is the bearer
  /// token of another helper, and stays with it.
  private func newCredential(at place: CredentialQuery) -> NewCredential? {
    guard place.username != nil, let password = values["password"], !password.isEmpty,
      values["ephemeral"] != "1"
    else { return nil }
    var new = NewCredential(place, Array(password.utf8))
    new.expiresOn = values["password_expiry_utc"].flatMap { Int64($0) }
      .map { Timestamp(epochSeconds: $0) }
    new.refreshToken = values["oauth_refresh_token"].map { Redacted(Array($0.utf8)) }
    return new
  }

  private func answer(to outcome: CredentialOutcome) -> HelperAnswer {
    guard case .found(let found) = outcome else { return Self.silent(outcome) }
    if found.isExpired { return Self.renewable(found) }
    guard let secret = found.line, !found.username.hasControlCharacters else {
      return HelperAnswer(
        message: "The stored credential cannot be sent to git: its secret or its user name has a "
          + "line break or is not text.", status: 1)
    }
    var lines: [String] = []
    if found.isBearer, capabilities.contains("authtype") {
      lines = ["capability[]=authtype", "authtype=Bearer", "credential=\(secret)"]
    } else {
      lines = ["username=\(found.username)", "password=\(secret)"]
    }
    // The vault renews it, so that no other helper needs to keep it.
    if found.isAccessToken, capabilities.contains("authtype") { lines.append("ephemeral=1") }
    if let end = found.expiresOn { lines.append("password_expiry_utc=\(end.epochSeconds)") }
    if let token = found.refreshToken.flatMap({ FoundCredential.line($0) }) {
      lines.append("oauth_refresh_token=\(token)")
    }
    return HelperAnswer(lines.map { $0 + "\n" }.joined())
  }

  /// A helper that renews tokens takes the refresh token from an expired credential. The password is
  /// left out, because git 2.39 and older would send it.
  private static func renewable(_ found: FoundCredential) -> HelperAnswer {
    guard let token = found.refreshToken.flatMap({ FoundCredential.line($0) }),
      !found.username.hasControlCharacters
    else {
      return HelperAnswer(message: "The stored credential has expired.", status: 1)
    }
    return HelperAnswer("username=\(found.username)\noauth_refresh_token=\(token)\n")
  }

  /// Says nothing to git. The message of a failure is for the user.
  @Sendable private static func silent(_ outcome: CredentialOutcome) -> HelperAnswer {
    guard case .failed(let failure) = outcome else { return HelperAnswer() }
    return HelperAnswer(message: failure.message, status: 1)
  }
}
