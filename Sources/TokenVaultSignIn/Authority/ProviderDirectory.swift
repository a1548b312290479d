import Synchronization

/// The discovery documents of providers. Each is fetched once in the object's lifetime, and kept
/// only if it is valid for its provider.
package final class ProviderDirectory: Sendable {
  let transport: any BlockingTransport
  private let known = Mutex<[Authority: ProviderMetadata]>([:])

  /// An empty directory.
  package init(transport: any BlockingTransport) { self.transport = transport }

  /// The discovery document of a provider, fetched unless it is known.
  /// - Throws: ``SignInError/transport(_:)``, ``SignInError/badDiscovery(_:)``.
  package func metadata(
    of authority: Authority, _ cancellation: Cancellation
  ) throws(SignInError) -> ProviderMetadata {
    if let metadata = known.withLock({ $0[authority] }) { return metadata }
    let metadata = try fetch(authority, cancellation)
    known.withLock { $0[authority] = metadata }
    return metadata
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
    guard let metadata = known.withLock({ $0[authority] }) else { return nil }
    // absent is an answer: the caller then asks the provider, and reports the error.
    do { return try metadata.authorityByIssuer } catch { return nil }
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
