package import Foundation

/// nanoidp, a provider from PyPI, on a free port of 127.0.0.1. It ends when the last reference is
/// released.
package final class NanoIDP: Sendable {
  /// The provider's settings; the defaults suit most tests.
  package struct Configuration: Encodable, Sendable {
    /// The registered clients. nanoidp accepts any port on 127.0.0.1.
    package var clients = [ProviderClient("tool", redirectURIs: ["http://127.0.0.1/callback"])]
    /// The users who can sign in.
    package var users = [ProviderUser.ada, .bob]
    /// Whether it serves https, with a certificate of a private authority.
    package var tls = false
    /// The path of the issuer, as in "/tenant".
    package var path = ""
    /// Whether a refresh token can be used once only; reuse revokes its family.
    package var rotation = true
    /// The lifetime of an access token, in minutes.
    package var tokenMinutes = 60
    /// The polling interval of the device code flow, in seconds.
    package var deviceInterval = 1
    /// "dev", "stricter-dev" or "oauth21".
    package var profile = "dev"

    /// The defaults.
    package init() {}

    /// With https and a path, which MSAL requires of an authority.
    package static var forMSAL: Configuration {
      var configuration = Configuration()
      configuration.tls = true
      configuration.path = "/tenant"
      return configuration
    }
  }

  private let server: ProviderServer

  /// Starts the provider and waits for its discovery document.
  package init(_ configuration: Configuration = Configuration()) throws {
    server = try ProviderServer(script: "nanoidp_server.py", configuration: configuration)
  }

  /// The issuer of its tokens.
  package var issuer: String { server.facts.issuer }

  /// The certificate of its private authority as a PEM file, for variables like SSL_CERT_FILE; nil
  /// without TLS.
  package var authorityFile: URL? { server.facts.authorityFile.map { URL(filePath: $0) } }

  /// Makes the provider sign with a new key. It still publishes the old one.
  package func rotateKeys() throws {
    _ = try PythonPeer().run(
      PeerScript.url("rotate_keys.py"), [issuer, authorityFile?.path ?? ""])
  }
}
