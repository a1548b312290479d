import Foundation

/// A registered application. All are public clients.
struct Client {
  var id: String
  var name: String
  var redirectURIs: [String]
  var family: String?
  /// The scopes that an administrator consented to for all users.
  var consented: Set<String>

  /// RFC 8252 section 7.3: a loopback redirect URI may have any port. Everything else about it, and
  /// every other redirect URI, must be equal to a registered one.
  func allows(redirect: String) -> Bool {
    redirectURIs.contains { registered in
      guard let known = URLComponents(string: registered), known.scheme == "http",
        let host = known.host, ["127.0.0.1", "[::1]", "localhost"].contains(host)
      else { return registered == redirect }
      guard let asked = URLComponents(string: redirect, encodingInvalidCharacters: false),
        asked.scheme == "http", asked.host == host, asked.user == nil, asked.password == nil,
        asked.fragment == nil, (1...65535).contains(asked.port ?? 80)
      else { return false }
      return asked.percentEncodedQuery == known.percentEncodedQuery
        && (asked.path.isEmpty ? "/" : asked.percentEncodedPath)
          == (known.path.isEmpty ? "/" : known.percentEncodedPath)
    }
  }
}
