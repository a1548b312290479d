import Foundation
import TokenVaultTestSupport

/// A plain HTTP client in Python (Peers/raw_client.py), independent of `tokenvault`.
struct RawClient: Encodable {
  enum Flow: String, Encodable {
    case code, device
  }

  struct Answer: Decodable {
    let status: Int
    let empty: Bool?
    let error: String?
    let fields: [String]?
  }

  struct Report: Decodable {
    let answer: [String]?
    let stateMatches: Bool?
    let nonceMatches: Bool?
    let iss: String?
    let user: String?
    let early: String?
    let tooSoon: String?
    let tokens: Answer?
    let refreshed: Answer?
    let rotated: Bool?
    let revoked: Answer?
    let afterRevocation: Answer?
    let reused: Answer?
    let signedOut: Int?
  }

  let issuer: String
  let authorityFile: String?
  let clientID = "tool"
  let port: Int
  let scope: String
  let flow: Flow
  let browser: [String]
  let signsOut: Bool
  /// Parameters to add to the authorization request.
  var parameters: [String: String] = [:]

  init(_ provider: NanoIDP, _ flow: Flow, in browser: HeadlessBrowser, signsOut: Bool = false) {
    self.init(
      provider.issuer, provider.authorityFile, 0, "openid offline_access", flow, browser, signsOut)
  }

  init(_ provider: Glewlwyd, _ flow: Flow, in browser: HeadlessBrowser, signsOut: Bool = false) {
    self.init(
      provider.issuer, nil, provider.redirectPort, "openid offline", flow, browser, signsOut)
  }

  private init(
    _ issuer: String, _ authorityFile: URL?, _ port: Int, _ scope: String, _ flow: Flow,
    _ browser: HeadlessBrowser, _ signsOut: Bool
  ) {
    self.issuer = issuer
    self.authorityFile = authorityFile?.path
    self.port = port
    self.scope = scope
    self.flow = flow
    self.browser = [browser.command.path]
    self.signsOut = signsOut
  }

  func run() throws -> Report {
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Peers/raw_client.py")
    let text = String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
    return try JSONDecoder().decode(Report.self, from: try PythonPeer().run(script, [text]))
  }
}
