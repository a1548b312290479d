/// The services that signing in needs from the machine: a network, a listener for the browser's
/// redirect, and a browser. `SignInPlatform.system(environment:)` of `TokenVaultSignInTransport`
/// provides them on a Linux desktop or server.
///
/// Replace one of them to use another HTTP client or a window of your own for the sign-in page:
///
/// ```swift
/// let system = SignInPlatform.system(environment: ProcessInfo.processInfo.environment)
/// let platform = SignInPlatform(
///   transport: MyTransport(), receiver: system.receiver, browser: system.browser)
/// ```
public struct SignInPlatform: Sendable {
  /// Sends requests to providers and APIs.
  package var transport: any BlockingTransport
  /// Receives the browser's redirect.
  public var receiver: any RedirectReceiving
  /// Opens the sign-in page.
  public var browser: any BrowserOpening

  /// A platform with an async transport.
  public init(
    transport: any HTTPTransport, receiver: any RedirectReceiving, browser: any BrowserOpening
  ) {
    self.init(
      transport: AsyncTransportBridge(transport), receiver: receiver, browser: browser)
  }

  /// A platform with a transport that blocks, and needs no change of threads.
  package init(
    transport: any BlockingTransport, receiver: any RedirectReceiving,
    browser: any BrowserOpening
  ) {
    self.transport = transport
    self.receiver = receiver
    self.browser = browser
  }
}
