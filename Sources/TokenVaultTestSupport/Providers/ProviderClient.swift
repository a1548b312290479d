/// A public client that is registered at a third-party provider.
package struct ProviderClient: Encodable, Sendable {
  /// Its client ID.
  package let id: String
  /// The registered redirect URIs.
  package let redirectURIs: [String]

  /// Describes a client; the provider registers it at its start.
  package init(_ id: String, redirectURIs: [String]) {
    self.id = id
    self.redirectURIs = redirectURIs
  }
}
