/// The scopes that the provider knows.
enum Scopes {
  static let openID: Set = ["openid", "profile", "email", "offline_access"]
  private static let graph: Set = [
    "User.Read", "User.ReadBasic.All", "Mail.Read", "Mail.Send", "Calendars.Read", ".default",
  ]
  private static let graphPrefix = "https://graph.microsoft.com/"

  /// Splits a scope parameter (RFC 6749 section 3.3). Every scope must be one of Graph's or have
  /// the form `scheme://resource/name`, and all must belong to one resource.
  static func parse(_ text: String?, base: String) throws(Failure) -> [String] {
    let scopes = (text ?? "").split(separator: " ").map(String.init)
    var resources: Set<String> = []
    for scope in scopes where !openID.contains(scope) {
      guard isKnown(scope, base) else {
        throw Failure(
          "invalid_scope", 70011, "The provided value for 'scope' is not valid: \(scope).")
      }
      resources.insert(resource(scope, base))
    }
    guard resources.count < 2 else {
      throw Failure(
        "invalid_request", 28000, "The scope parameter contains more than one resource.")
    }
    return scopes.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  private static func isKnown(_ scope: String, _ base: String) -> Bool {
    if resource(scope, base) == "graph" { return graph.contains(name(scope, base)) }
    return scope.contains("/") && !scope.hasSuffix("/")
  }

  /// The name under which consent is stored: that of a Graph scope has no resource.
  static func name(_ scope: String, _ base: String) -> String {
    for prefix in [graphPrefix, base + "/"] where scope.hasPrefix(prefix) {
      return String(scope.dropFirst(prefix.count))
    }
    return scope
  }

  /// The audience of a scope; `graph` for those of Graph and of OpenID Connect.
  static func resource(_ scope: String, _ base: String) -> String {
    let name = name(scope, base)
    guard name.contains("/"), let slash = name.lastIndex(of: "/") else { return "graph" }
    return String(name[..<slash])
  }
}
