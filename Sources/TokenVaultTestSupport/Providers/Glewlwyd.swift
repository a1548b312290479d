import Foundation

/// glewlwyd, the awkward provider from apt, on a free port of 127.0.0.1. It ends with the last
/// reference.
public final class Glewlwyd: Sendable {
  private struct Configuration: Encodable {
    let clients: [ProviderClient]
    let users: [ProviderUser]
    let deviceInterval: Int
  }

  private let server: ProviderServer
  /// The only redirect URI of its client "tool": it is compared whole, the port included.
  public let redirectURI: String
  /// The port of the redirect URI.
  public let redirectPort: Int

  /// Starts it and waits until its discovery document is there.
  /// - Parameters:
  ///   - users: who can sign in.
  ///   - deviceInterval: how often a device may ask, in seconds; who asks sooner is told so.
  public init(users: [ProviderUser] = [.ada, .bob], deviceInterval: Int = 1) throws {
    server = try ProviderServer(
      script: "glewlwyd_server.py",
      configuration: Configuration(
        clients: [ProviderClient("tool", redirectURIs: ["http://127.0.0.1:PORT/callback"])],
        users: users, deviceInterval: deviceInterval))
    guard let port = server.facts.redirectPort else {
      throw ProviderServer.NotReady(script: "glewlwyd_server.py")
    }
    redirectPort = port
    redirectURI = "http://127.0.0.1:\(port)/callback"
  }

  /// As in its tokens.
  public var issuer: String { server.facts.issuer }
}
