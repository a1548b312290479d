import Synchronization
import TokenVaultSignIn

/// The request that this process sent last, for messages about its response.
enum LastRequest {
  private static let request = Mutex<(method: String, address: HTTPURL)?>(nil)

  static func note(_ new: HTTPRequest) {
    request.withLock { $0 = (new.method, new.address) }
  }

  /// The method and the URL, without a query; "The provider" if nothing was sent.
  static var text: String {
    guard let (method, address) = request.withLock({ $0 }) else { return "The provider" }
    return PlainText.escaped("\(method) \(address.origin)\(address.path)")
  }

  /// The host and, if it is in the URL, the port, in the form of a URL.
  static func authority(of host: String) -> String {
    guard let address = request.withLock({ $0?.address }), address.host == host else {
      return PlainText.escaped(host)
    }
    return PlainText.escaped(String(address.origin.drop { $0 != "/" }.dropFirst(2)))
  }
}

/// A transport that notes each request.
struct NotingTransport: BlockingTransport {
  let transport: any BlockingTransport

  func send(
    _ request: HTTPRequest, _ cancellation: Cancellation
  ) throws(TransportError) -> HTTPResponse {
    LastRequest.note(request)
    return try transport.send(request, cancellation)
  }
}
