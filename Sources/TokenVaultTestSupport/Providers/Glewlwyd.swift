import Foundation

/// glewlwyd, a provider from apt that deviates from the standards, on a free port of 127.0.0.1. It
/// ends when the last reference is released.
package final class Glewlwyd: Sendable {
  private struct Configuration: Encodable {
    let clients: [ProviderClient]
    let users: [ProviderUser]
    let deviceInterval: Int
  }

  private let server: ProviderServer
  /// The only redirect URI of its client "tool". glewlwyd compares it as a whole, with the port.
  package let redirectURI: String
  /// The port of the redirect URI.
  package let redirectPort: Int

  /// Starts the provider and waits for its discovery document.
  /// - Parameters:
  ///   - users: the users who can sign in.
  ///   - deviceInterval: the polling interval of the device code flow, in seconds.
  package init(users: [ProviderUser] = [.ada, .bob], deviceInterval: Int = 1) throws {
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

  /// The issuer of its tokens.
  package var issuer: String { server.facts.issuer }
}
