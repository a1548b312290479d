public import Foundation

/// nanoidp, a provider from PyPI, on a free port of 127.0.0.1. It ends with the last reference.
public final class NanoIDP: Sendable {
  /// How it is set up; what is not said is as most tests want it.
  public struct Configuration: Encodable, Sendable {
    /// Takes any port of 127.0.0.1 for this URI.
    public var clients = [ProviderClient("tool", redirectURIs: ["http://127.0.0.1/callback"])]
    /// Who can sign in.
    public var users = [ProviderUser.ada, .bob]
    /// Whether it is reached by https, with a certificate of a private authority.
    public var tls = false
    /// The path of the issuer, as in "/tenant".
    public var path = ""
    /// Whether a refresh token is good for one time, and its family revoked when it is reused.
    public var rotation = true
    /// How long an access token lives, in minutes.
    public var tokenMinutes = 60
    /// How often a device may ask, in seconds.
    public var deviceInterval = 1
    /// "dev", "stricter-dev" or "oauth21".
    public var profile = "dev"

    /// As most tests want it.
    public init() {}

    /// https and a path, without which MSAL takes no authority.
    public static var forMSAL: Configuration {
      var configuration = Configuration()
      configuration.tls = true
      configuration.path = "/tenant"
      return configuration
    }
  }

  private let server: ProviderServer

  /// Starts it and waits until its discovery document is there.
  public init(_ configuration: Configuration = Configuration()) throws {
    server = try ProviderServer(script: "nanoidp_server.py", configuration: configuration)
  }

  /// As in its tokens.
  public var issuer: String { server.facts.issuer }

  /// The certificate of its private authority, as a PEM file: for SSL_CERT_FILE and the like. Nil
  /// without TLS.
  public var authorityFile: URL? { server.facts.authorityFile.map { URL(filePath: $0) } }

  /// Signs with a new key from now on; the old one stays among those that it tells.
  public func rotateKeys() throws {
    _ = try PythonPeer().run(
      PeerScript.url("rotate_keys.py"), [issuer, authorityFile?.path ?? ""])
  }
}
