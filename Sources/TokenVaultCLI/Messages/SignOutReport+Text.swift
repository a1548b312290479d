import TokenVault
import TokenVaultModel

extension SignOutReport {
  /// The report as the full screen shows it: by place and by provider.
  var lines: [String] {
    var lines = accounts.map { account in
      keeps(account) ? "\(account.shownName), for this client only" : account.shownName
    }
    if lines.isEmpty { lines.append("There was no account to sign out.") }
    if !entries.isEmpty { lines += ["", "On this machine"] }
    lines += entries.map { "  \($0.line)" }
    if !revocations.isEmpty || !unasked.isEmpty { lines += ["", "At the provider"] }
    lines += (revocations.map(\.line) + unaskedLines).map { "  \($0)" }
    if !browserSessions.isEmpty { lines += ["", "In the browser"] }
    lines += browserSessions.map { "  \($0.line)" }
    return lines
  }

  /// A line for each provider that `--no-revoke` left alone.
  var unaskedLines: [String] {
    unasked.map { "not asked  \(PlainText.escaped($0)): --no-revoke" }
  }

  /// Whether other clients keep an account that was signed out.
  func keeps(_ account: Account) -> Bool {
    keptAccounts.contains { $0.identity == account.identity }
  }
}

extension SignOutReport.Place {
  /// The name that people read. The raw value is that of JSON, which does not change.
  var text: String { self == .directoryRules ? "account rules" : rawValue }
}

extension SignOutReport.Entry {
  var line: String {
    guard let file else { return "\(isClean ? "clean" : "LEFT ")  \(place.text): \(detail)" }
    let place = "\(isClean ? "clean " : "NOT CLEAN") file  \(PlainText.escaped(file))"
    guard let account, let removal else { return "\(place): \(detail)" }
    return "\(place) still has \(PlainText.escaped(account.shownName)): \(removal)"
  }

  /// The command that takes the account out of the imported file; nil if it is not in one.
  var removal: String? {
    guard let file, let account else { return nil }
    let words =
      [file, account.selector].map(PlainText.shellWord)
      + (clientID.map { ["--client-id", PlainText.shellWord($0)] } ?? [])
    return "tokenvault import --remove " + words.joined(separator: " ")
  }
}

extension SignOutReport.Revocation {
  /// Capitals make a token that was not revoked easy to see.
  var line: String {
    let host = PlainText.escaped(environment)
    return outcome == .revoked
      ? "revoked  \(host): \(detail)" : "NOT REVOKED  \(host): \(detail)"
  }

  var detail: String {
    switch outcome {
    case .revoked: "the provider revoked the tokens"
    case .notOffered:
      "the provider does not support revocation; tokens issued so far stay valid until they expire"
    case .byUserOnly(let page):
      "the provider has no revocation for applications; to revoke the tokens, open \(page)"
    case .failed(let error): Failure(error).reason
    case .unknownAuthority: "the issuer of the tokens is not known"
    }
  }
}

extension SignOutReport.BrowserSession {
  var line: String {
    switch self {
    case .opened(let page): "browser  \(page.host): the sign-out page was opened; sign out there"
    case .notOpened(let page):
      "BROWSER STILL SIGNED IN  \(page.host): no browser was opened; to sign out there, open \(page)"
    case .notOffered(let host):
      "BROWSER STILL SIGNED IN  \(PlainText.escaped(host)): the provider has no sign-out page"
    case .failed(let host, let error):
      "BROWSER STILL SIGNED IN  \(PlainText.escaped(host)): \(Failure(error).reason)"
    }
  }
}
