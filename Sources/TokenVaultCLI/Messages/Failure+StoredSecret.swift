import TokenVault
import TokenVaultModel
import TokenVaultSignIn

// MARK: Stored secrets

extension Failure {
  /// The command that replaces a stored secret.
  static func add(_ account: Account) -> String {
    let service = account.service ?? "URL"
    let words = ["--service", service, "--username", account.username].map(PlainText.shellWord)
    let group = account.group == .secrets ? "" : " --group \(account.group)"
    return "tokenvault add \(words.joined(separator: " "))\(group)"
  }

  static func noSecret(_ service: String, _ name: String?, _ groups: [GroupName]) -> Failure {
    let name = name.map { " for \(quoted($0))" } ?? ""
    let places = groups.map(\.description).joined(separator: " and ")
    return Failure(
      .notFound, "There is no secret\(name) of the service \(quoted(service)) in \(places).",
      next: "tokenvault list --all-groups",
      note: "to store one: tokenvault add --service \(PlainText.shellWord(service)) --username NAME"
    )
  }

  /// - Parameters:
  ///   - command: The words of the command.
  ///   - group: The value of `--group`.
  static func severalSecrets(
    _ place: String, _ candidates: [Account], command: String, group: String?
  ) -> Failure {
    let lines = candidates.map { "\n  \(name($0)) at \(PlainText.escaped($0.service ?? ""))" }
    let user = PlainText.shellWord(candidates[0].username)
    let service = "--service \(PlainText.shellWord(candidates[0].service ?? place))"
    let end = service + (group.map { " --group \(PlainText.shellWord($0))" } ?? "")
    let next =
      switch command {
      case "token", "status", "which": "tokenvault \(command) --account \(user) \(end)"
      case "sign-out", "alias", "switch": "tokenvault \(command) \(user) \(end)"
      default: again("with --account \(user) \(service)")
      }
    return Failure(
      .usage, "\(quoted(place)) has \(candidates.count) stored secrets:" + lines.joined(),
      next: next, code: "ambiguousAccount")
  }

  /// Several credentials fit an address, and nothing chooses one of them.
  static func severalCredentials(_ candidates: [Account], at address: HTTPURL) -> Failure {
    let names = candidates.map(name).joined(separator: ", ")
    return Failure(
      .usage, "\(address.origin) has \(candidates.count) credentials: \(names).",
      next: "name one in the URL, as in "
        + "\(address.scheme)://NAME@\(address.origin.dropFirst(address.scheme.count + 3))",
      code: "ambiguousAccount")
  }

  /// No group has a credential for an address.
  static func noCredential(at address: HTTPURL) -> Failure {
    Failure(
      .notFound, "There is no credential for \(address.origin).",
      next: "tokenvault add --service \(address.origin) --username NAME", code: "noCredential")
  }

  /// The account that the caller named has no credential for an address.
  static func noCredential(
    of account: String, at address: HTTPURL, _ group: GroupName
  ) -> Failure {
    Failure(
      .notFound, "\(quoted(account)) has no credential for \(address.origin) in \(group).",
      next: "tokenvault add --service \(address.origin) --username NAME", code: "noAccount")
  }

  /// A stored secret does not satisfy the request.
  static func secret(
    _ reason: InteractionReason, _ account: Account, _ group: GroupName, code: String
  ) -> Failure {
    let name = name(account)
    switch reason {
    case .otherTenant:
      return Failure(
        .usage, "\(name) is a stored secret, which has no tenant.",
        next: again("without --tenant"), code: code)
    case .noToken:
      return Failure(
        .usage, "\(name) is a stored secret, which has no scopes.",
        next: again("without --scope and --resource"), code: code)
    case .expired(let end?):
      return Failure(
        .signInNeeded,
        "The stored secret of \(name) has expired or expires too soon (\(end.iso8601)).",
        next: add(account), code: code)
    default:
      return Failure(
        .signInNeeded, "\(name) is a stored secret and is not renewed.",
        next: add(account), code: code)
    }
  }
}
