import Synchronization

/// The descriptions of the providers that were met, each fetched once in the life of the object
/// and kept only when it was found to be the provider's own.
public final class ProviderDirectory: Sendable {
  let transport: any HTTPTransport
  private let known = Mutex<[Authority: ProviderMetadata]>([:])

  /// An empty directory over a way to the network.
  public init(transport: any HTTPTransport) { self.transport = transport }

  /// The description of a provider.
  /// - Throws: ``SignInError/transport(_:)``, ``SignInError/badDiscovery(_:)``.
  public func metadata(
    of authority: Authority, _ cancellation: Cancellation
  ) throws(SignInError) -> ProviderMetadata {
    if let metadata = known.withLock({ $0[authority] }) { return metadata }
    let metadata = try fetch(authority, cancellation)
    known.withLock { $0[authority] = metadata }
    return metadata
  }

  /// Microsoft Entra's authority with the GUID of a tenant that it names by a domain; any other
  /// as it is.
  package func resolved(
    _ authority: Authority, _ cancellation: Cancellation
  ) throws(SignInError) -> Authority {
    guard authority.namesDomain else { return authority }
    return try metadata(of: authority, cancellation).authorityByIssuer
  }

  /// The same from what is known without asking; nil where the provider has to be asked.
  package func resolvedIfKnown(_ authority: Authority) -> Authority? {
    guard authority.namesDomain else { return authority }
    guard let metadata = known.withLock({ $0[authority] }) else { return nil }
    // absent is an answer: the provider's own word is asked for then
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

extension HTTPTransport {
  /// `send` with this module's error.
  package func exchange(
    _ request: HTTPRequest, _ cancellation: Cancellation
  ) throws(SignInError) -> HTTPResponse {
    do { return try send(request, cancellation) } catch .cancelled { throw .cancelled } catch {
      throw .transport(error)
    }
  }
}
