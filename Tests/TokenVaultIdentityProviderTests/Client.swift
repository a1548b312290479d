import Foundation
import TokenVaultIdentityProvider
import TokenVaultTestSupport

/// A client that sends the requests of a test, well-formed or not.
final class Client: @unchecked Sendable {
  static let redirect = "http://127.0.0.1:4567/"
  static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
  static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

  let provider: ProviderProcess
  let browser: HandBrowser
  var id = ProviderProcess.client
  var realm = "/common/oauth2/v2.0"
  var scope = "openid profile offline_access User.Read"

  init(_ configuration: String? = nil) throws {
    provider = try ProviderProcess(configuration)
    browser = HandBrowser(provider.url)
  }

  /// An authorization URL. A change of nil removes a parameter.
  func authorizeURL(_ changes: [String: String?] = [:]) -> String {
    var parameters: [String: String?] = [
      "client_id": id, "redirect_uri": Self.redirect, "response_type": "code", "scope": scope,
      "state": "a state", "nonce": "a nonce", "code_challenge": Self.challenge,
      "code_challenge_method": "S256",
    ]
    parameters.merge(changes) { $1 }
    return provider.url + realm + "/authorize?" + Self.form(parameters)
  }

  static func form(_ parameters: [String: String?]) -> String {
    parameters.compactMap { name, value in value.map { "\(name)=\(HandBrowser.encode($0))" } }
      .joined(separator: "&")
  }

  func post(_ endpoint: String, _ parameters: [String: String?]) throws -> RawHTTP.Answer {
    try RawHTTP.send(
      "POST", provider.url + realm + endpoint,
      headers: ["Content-Type": "application/x-www-form-urlencoded"],
      body: Data(Self.form(parameters).utf8))
  }

  /// The parameters of the authorization response.
  func answer(
    _ changes: [String: String?] = [:], as username: String = "ada@contoso.example"
  ) throws -> [String: String] {
    Self.parameters(try browser.signIn(at: authorizeURL(changes), as: username))
  }

  static func parameters(_ location: String?) -> [String: String] {
    let items = location.flatMap { URLComponents(string: $0)?.queryItems } ?? []
    return Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
  }

  func code(as username: String = "ada@contoso.example") throws -> String {
    try answer(as: username)["code"] ?? ""
  }

  func redeem(_ code: String, _ changes: [String: String?] = [:]) throws -> RawHTTP.Answer {
    var parameters: [String: String?] = [
      "grant_type": "authorization_code", "client_id": id, "code": code,
      "redirect_uri": Self.redirect, "code_verifier": Self.verifier, "client_info": "1",
    ]
    parameters.merge(changes) { $1 }
    return try post("/token", parameters)
  }

  func refresh(_ token: String, _ changes: [String: String?] = [:]) throws -> RawHTTP.Answer {
    var parameters: [String: String?] = [
      "grant_type": "refresh_token", "client_id": id, "refresh_token": token, "client_info": "1",
    ]
    parameters.merge(changes) { $1 }
    return try post("/token", parameters)
  }

  func refreshed(_ tokens: RawHTTP.Answer, realm: String) throws -> RawHTTP.Answer {
    self.realm = realm
    return try refresh(tokens.text("refresh_token"))
  }

  /// Signs a user in and returns the token response.
  func signIn(as username: String = "ada@contoso.example") throws -> RawHTTP.Answer {
    try redeem(try code(as: username))
  }

  func get(_ path: String, _ token: String?) throws -> RawHTTP.Answer {
    try RawHTTP.send(
      "GET", provider.url + path, headers: token.map { ["Authorization": "Bearer \($0)"] } ?? [:])
  }
}

extension RawHTTP.Answer {
  func text(_ name: String) -> String { object[name] as? String ?? "" }
  var error: String { text("error") }

  /// A token's claims, without verification of the signature.
  func claims(of name: String) -> [String: Any] {
    part(1, of: name)
  }

  func header(of name: String) -> [String: Any] {
    part(0, of: name)
  }

  private func part(_ index: Int, of name: String) -> [String: Any] {
    let parts = text(name).split(separator: ".").map(String.init)
    guard parts.count > index, let bytes = Data(base64URL: parts[index]) else { return [:] }
    return RawHTTP.Answer(status: 200, headers: [:], body: bytes).object
  }
}

extension String {
  var decodedBase64URL: Data { Data(base64URL: self) ?? Data() }
}
