public import Foundation

/// The real MSAL for Python as a client of a provider, with its cache in a file.
public struct MSALClient: Sendable {
  /// How it signs in.
  public enum Flow: String, Encodable, Sendable {
    case code, device
  }

  /// What it came to, with SHA-256 digests (hexadecimal) in place of tokens.
  public struct Answer: Decodable, Sendable {
    /// One of its accounts.
    public struct Account: Decodable, Equatable, Sendable {
      /// Empty where the ID token does not say it.
      public let username: String
      /// The home account id.
      public let identifier: String
    }
    /// An OAuth error.
    public let error: String?
    /// The access token it answered.
    public let accessToken: String?
    /// "cache" or "identity_provider".
    public let source: String?
    /// The refresh token that is in its cache now.
    public let refreshToken: String?
    /// How many requests it posted.
    public let posts: Int
    /// Who is in its cache.
    public let accounts: [Account]
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

  /// It needs https and a path in the issuer: `NanoIDP.Configuration.forMSAL`.
  /// - Parameters:
  ///   - scopes: without openid, profile and offline_access, which it adds itself and refuses.
  ///   - cache: is read if it is there, and written.
  public init(
    _ provider: NanoIDP, cache: URL, clientID: String = "tool", scopes: [String] = ["email"]
  ) {
    configuration = Configuration(
      issuer: provider.issuer, clientID: clientID, scopes: scopes, cache: cache.path)
    authorityFile = provider.authorityFile?.path ?? ""
  }

  /// Signs a person in.
  /// - Parameter withoutIDToken: whether the provider seems to send no ID token.
  public func signIn(
    _ flow: Flow, in browser: HeadlessBrowser, withoutIDToken: Bool = false
  ) throws -> Answer {
    var configuration = configuration
    configuration.dropsIDToken = withoutIDToken
    configuration.flow = flow
    configuration.browser = [browser.command.path]
    return try run("sign-in", configuration)
  }

  /// Answers for the first account of the cache. The peer fails if it posts anything.
  public func answerFromCache() throws -> Answer { try run("silent", configuration) }

  /// Refreshes for the first account of the cache, whatever is in it.
  /// - Parameter withoutIDToken: whether the provider seems to send no ID token.
  public func refresh(withoutIDToken: Bool = false) throws -> Answer {
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
