import Foundation

/// A minimal browser for the pages of ``ProviderProcess``: it keeps cookies and sends forms. The
/// test decides what the user does. Calls block.
package final class HandBrowser: @unchecked Sendable {
  /// An unexpected page or answer.
  package struct Unexpected: Error {
    /// Its status.
    package let status: Int
    /// Its content.
    package let text: String
  }

  /// The cookies, by name. Clear them to forget all signed-in users.
  package var cookies: [String: String] = [:]
  private let provider: String

  /// A browser without cookies.
  /// - Parameter provider: the URL of the ``ProviderProcess``.
  package init(_ provider: String) { self.provider = provider }

  /// Opens an address.
  package func open(_ url: String) throws -> RawHTTP.Answer { try send("GET", url, "") }

  /// Sends a form.
  package func post(_ url: String, _ fields: KeyValuePairs<String, String>) throws -> RawHTTP.Answer
  {
    try send(
      "POST", url, fields.map { "\(Self.encode($0))=\(Self.encode($1))" }.joined(separator: "&"))
  }

  private func send(_ method: String, _ url: String, _ form: String) throws -> RawHTTP.Answer {
    var headers: [String: String] = [:]
    if !cookies.isEmpty {
      headers["Cookie"] = cookies.map { "\($0)=\($1)" }.joined(separator: "; ")
    }
    if method == "POST" { headers["Content-Type"] = "application/x-www-form-urlencoded" }
    let answer = try RawHTTP.send(method, url, headers: headers, body: Data(form.utf8))
    if let pair = answer.headers["set-cookie"]?.split(separator: ";").first?
      .split(separator: "=", maxSplits: 1), pair.count == 2
    {
      cookies[String(pair[0])] = String(pair[1])
    }
    return answer
  }

  /// Submits the form of a page with these fields, such as `account`, `action` or `user_code`.
  package func answer(
    _ page: RawHTTP.Answer, _ fields: KeyValuePairs<String, String>
  ) throws -> RawHTTP.Answer {
    guard let match = page.text.firstMatch(of: /name="flow" value="([^"]+)"/) else {
      throw Unexpected(status: page.status, text: page.text)
    }
    let all = [("flow", String(match.output.1))] + fields.map { ($0.key, $0.value) }
    let form = all.map { "\(Self.encode($0))=\(Self.encode($1))" }.joined(separator: "&")
    return try send("POST", provider + "/interaction", form)
  }

  /// Opens an authorization URL, picks the account and consents. Returns the location of the last
  /// redirect: the client's redirect URI with the authorization response.
  package func signIn(at url: String, as username: String) throws -> String {
    var page = try open(url)
    var clicks = 0
    while page.headers["location"] == nil, clicks < 5 {
      let isConsent = page.text.contains(#"id="accept""#)
      page = try answer(page, isConsent ? ["action": "accept"] : ["account": username])
      clicks += 1
    }
    guard let location = page.headers["location"] else {
      throw Unexpected(status: page.status, text: page.text)
    }
    return location
  }

  /// The provider's page, for an address that a browser was started with: the client's start page
  /// redirects to it.
  package static func provider(startedAt url: String) throws -> String {
    guard url.contains("/start/") else { return url }
    let answer = try RawHTTP.send("GET", url)
    guard answer.status == 303, let location = answer.headers["location"] else {
      throw Unexpected(status: answer.status, text: answer.text)
    }
    return location
  }

  /// Opens a client's redirect URI, as a browser does with the result of ``signIn(at:as:)``.
  @discardableResult package func deliver(_ location: String) throws -> RawHTTP.Answer {
    try RawHTTP.send("GET", location)
  }

  /// Enters a user code, picks the account and consents.
  package func approveDevice(_ userCode: String, as username: String) throws {
    var page = try post(provider + "/devicelogin", ["user_code": userCode])
    page = try answer(page, ["account": username])
    page = try answer(page, ["action": "accept"])
    guard page.text.contains(#"id="done""#) else {
      throw Unexpected(status: page.status, text: page.text)
    }
  }

  /// The percent-encoded form of a value.
  package static func encode(_ text: String) -> String {
    let allowed = CharacterSet(
      charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
  }
}
