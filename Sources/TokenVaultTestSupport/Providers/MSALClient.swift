package import Foundation

/// The real MSAL for Python as a client of a provider, with its cache in a file.
package struct MSALClient: Sendable {
  /// The flow of a sign-in.
  package enum Flow: String, Encodable, Sendable {
    case code, device
  }

  /// MSAL's answer, with SHA-256 digests (hexadecimal) in place of tokens.
  package struct Answer: Decodable, Sendable {
    /// An account in the cache.
    package struct Account: Decodable, Equatable, Sendable {
      /// Empty if the ID token contains none.
      package let username: String
      /// The home account ID.
      package let identifier: String
    }
    /// An OAuth error.
    package let error: String?
    /// The access token in the answer.
    package let accessToken: String?
    /// "cache" or "identity_provider".
    package let source: String?
    /// The refresh token that is in the cache afterwards.
    package let refreshToken: String?
    /// How many POST requests MSAL sent.
    package let posts: Int
    /// The accounts in the cache.
    package let accounts: [Account]
  }

  private struct Configuration: Encodable {
    let issuer: String
    let clientID: String
    let scopes: [String]
    let cache: String
    var flow: Flow?
    var browser: [String]?
    var force: Bool?
    var dropsIDToken: Bool?
  }

  private let configuration: Configuration
  private let authorityFile: String

  /// Requires https and an issuer with a path: `NanoIDP.Configuration.forMSAL`.
  /// - Parameters:
  ///   - scopes: scopes except openid, profile and offline_access, which MSAL adds and refuses
  ///     here.
  ///   - cache: the cache file, which is read if it exists, and written.
  package init(
    _ provider: NanoIDP, cache: URL, clientID: String = "tool", scopes: [String] = ["email"]
  ) {
    configuration = Configuration(
      issuer: provider.issuer, clientID: clientID, scopes: scopes, cache: cache.path)
    authorityFile = provider.authorityFile?.path ?? ""
  }

  /// Signs a user in.
  /// - Parameter withoutIDToken: whether to remove the ID token from the provider's answer.
  package func signIn(
    _ flow: Flow, in browser: HeadlessBrowser, withoutIDToken: Bool = false
  ) throws -> Answer {
    var configuration = configuration
    configuration.dropsIDToken = withoutIDToken
    configuration.flow = flow
    configuration.browser = [browser.command.path]
    return try run("sign-in", configuration)
  }

  /// Gets a token of the first account from the cache. Fails if MSAL sends a POST request.
  package func answerFromCache() throws -> Answer { try run("silent", configuration) }

  /// Refreshes the token of the first account, even if the cache has a valid one.
  /// - Parameter withoutIDToken: whether to remove the ID token from the provider's answer.
  package func refresh(withoutIDToken: Bool = false) throws -> Answer {
    var configuration = configuration
    configuration.dropsIDToken = withoutIDToken
    configuration.force = true
    return try run("silent", configuration)
  }

  private func run(_ verb: String, _ configuration: Configuration) throws -> Answer {
    let text = String(decoding: try JSONEncoder().encode(configuration), as: UTF8.self)
    let output = try PythonPeer().run(
      PeerScript.url("msal_client.py"), [verb, text],
      environment: ["REQUESTS_CA_BUNDLE": authorityFile])
    return try JSONDecoder().decode(Answer.self, from: output)
  }
}
