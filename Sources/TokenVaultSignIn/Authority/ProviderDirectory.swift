import Synchronization

/// The discovery documents of providers. Each is fetched once in the object's lifetime, and kept
/// only if it is valid for its provider.
package final class ProviderDirectory: Sendable {
  let transport: any BlockingTransport
  private struct Entry {
    var metadata: ProviderMetadata
    /// Whether the authorization server metadata has been read as well.
    var isComplete = false
  }

  private let known = Mutex<[Authority: Entry]>([:])

  /// An empty directory.
  package init(transport: any BlockingTransport) { self.transport = transport }

  /// The discovery document of a provider, fetched unless it is known. If it lacks `endpoint`, the
  /// description of the provider or the authorization server metadata (RFC 8414) fill the gap. A
  /// provider whose description has all endpoints is not asked.
  /// - Throws: ``SignInError/transport(_:)``, ``SignInError/badDiscovery(_:)``.
  package func metadata(
    of authority: Authority, describedBy provider: ProviderDescription? = nil,
    needing endpoint: KeyPath<ProviderMetadata, HTTPURL?>? = nil, _ cancellation: Cancellation
  ) throws(SignInError) -> ProviderMetadata {
    if let provider, let metadata = ProviderMetadata(provider, of: authority) { return metadata }
    var entry: Entry
    if let found = known.withLock({ $0[authority] }) {
      entry = found
    } else {
      entry = Entry(metadata: try fetch(authority, cancellation))
    }
    entry.metadata = entry.metadata.described(by: provider)
    if let endpoint, entry.metadata[keyPath: endpoint] == nil, !entry.isComplete {
      if let other = try serverMetadata(of: authority, cancellation) {
        entry.metadata = entry.metadata.completed(by: other)
      }
      entry.isComplete = true
    }
    known.withLock { [entry] in $0[authority] = entry }
    return entry.metadata
  }

  /// A Microsoft Entra authority that names its tenant by a domain, with the tenant's GUID instead;
  /// any other authority unchanged.
  package func resolved(
    _ authority: Authority, _ cancellation: Cancellation
  ) throws(SignInError) -> Authority {
    guard authority.namesDomain else { return authority }
    return try metadata(of: authority, cancellation).authorityByIssuer
  }

  /// The same without a request; nil if a request to the provider would be needed.
  package func resolvedIfKnown(_ authority: Authority) -> Authority? {
    guard authority.namesDomain else { return authority }
    guard let metadata = known.withLock({ $0[authority]?.metadata }) else { return nil }
    // absent is an answer: the caller then asks the provider, and reports the error.
    do { return try metadata.authorityByIssuer } catch { return nil }
  }

  /// Nil if the provider publishes none, or none that is valid for this issuer.
  private func serverMetadata(
    of authority: Authority, _ cancellation: Cancellation
  ) throws(SignInError) -> ProviderMetadata? {
    guard let address = authority.serverMetadataAddress else { return nil }
    let answer = try transport.exchange(
      HTTPRequest(address, headers: [("Accept", "application/json")]), cancellation)
    if answer.status >= 500 || answer.status == 429 { throw .badDiscovery(.status(answer.status)) }
    guard answer.status == 200 else { return nil }
    // absent is an answer: the document of another issuer names no endpoint of this one.
    do { return try ProviderMetadata(json: answer.body, of: authority) } catch { return nil }
  }

  private func fetch(
    _ authority: Authority, _ cancellation: Cancellation
  ) throws(SignInError) -> ProviderMetadata {
    var status = 0
    for address in authority.discoveryAddresses {
      let answer = try transport.exchange(
        HTTPRequest(address, headers: [("Accept", "application/json")]), cancellation)
      guard answer.status != 404 else {
        status = 404
        continue
      }
      guard answer.status == 200 else { throw .badDiscovery(.status(answer.status)) }
      return try ProviderMetadata(json: answer.body, of: authority)
    }
    throw .badDiscovery(.status(status))
  }
}
