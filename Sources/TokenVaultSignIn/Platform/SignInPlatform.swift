/// The machine's side of signing in. `TokenVaultSignInTransport` has the one for a Linux desktop or server;
/// a program with needs of its own (another HTTP client, a view for the sign-in page) gives its own
/// parts.
public struct SignInPlatform: Sendable {
  /// The way to the network.
  public var transport: any HTTPTransport
  /// Takes the browser's answer.
  public var receiver: any RedirectReceiving
  /// Opens the browser.
  public var browser: any BrowserOpening

  /// A platform with the parts given.
  public init(
    transport: any HTTPTransport, receiver: any RedirectReceiving, browser: any BrowserOpening
  ) {
    self.transport = transport
    self.receiver = receiver
    self.browser = browser
  }
}
