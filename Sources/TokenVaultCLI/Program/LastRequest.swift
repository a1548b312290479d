import Synchronization
import TokenVaultSignIn

/// The request that this process sent last, for messages about its response.
enum LastRequest {
  private static let request = Mutex<(method: String, address: HTTPURL)?>(nil)

  /// The last one for a discovery document at its usual place (OIDC Discovery section 4).
  private static let forDiscovery = Mutex<(method: String, address: HTTPURL)?>(nil)

  static func note(_ new: HTTPRequest) {
    request.withLock { $0 = (new.method, new.address) }
    if new.address.path.hasSuffix("/.well-known/openid-configuration") {
      forDiscovery.withLock { $0 = (new.method, new.address) }
    }
  }

  /// The method and the URL, without a query; "The provider" if nothing was sent.
  static var text: String { text(request.withLock { $0 }) }

  /// The same for the discovery document. It is looked for at other places, too.
  static var discovery: String { forDiscovery.withLock { $0 }.map(text) ?? text }

  private static func text(_ request: (method: String, address: HTTPURL)?) -> String {
    guard let (method, address) = request else { return "The provider" }
    return PlainText.escaped("\(method) \(address.origin)\(address.path)")
  }

  /// The host and, if it is in the URL, the port, in the form of a URL.
  static func authority(of host: String) -> String {
    guard let address = request.withLock({ $0?.address }), address.host == host else {
      return PlainText.escaped(host)
    }
    return address.shownAuthority
  }
}

extension HTTPURL {
  /// The host and, if it is in the URL, the port, in the form of a URL, for messages.
  var shownAuthority: String {
    PlainText.escaped(String(origin.drop { $0 != "/" }.dropFirst(2)))
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
