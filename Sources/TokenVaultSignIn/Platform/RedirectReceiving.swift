/// Takes the answer that the browser brings back (RFC 8252 section 7).
public protocol RedirectReceiving: Sendable {
  /// Begins to listen for a redirect URI, before the browser is sent away.
  /// - Throws: ``SignInError/sessionAlreadyRunning`` where another process listens for the same
  ///   custom scheme; ``SignInError/redirectUnavailable(_:)``.
  func listen(for uri: RedirectURI) throws(SignInError) -> any RedirectListener
}

/// A listener for one sign-in.
public protocol RedirectListener: AnyObject {
  /// The redirect URI with the port that was chosen.
  var redirectURI: String { get }

  /// Waits until `evaluate` takes a request for the answer; all others are answered as it says, and
  /// the wait goes on. A client that sends slowly holds up nobody. The browser's page is shown
  /// before the call returns.
  /// - Throws: ``SignInError/timedOut``, ``SignInError/cancelled``.
  func receive(
    deadlineMilliseconds: Int, _ cancellation: Cancellation,
    evaluate: (RedirectRequest) -> RedirectResult
  ) throws(SignInError)

  /// Stops listening. Nothing is received from then on.
  func close()
}

/// What a listener is to do with a request.
public struct RedirectResult: Sendable {
  /// The status of the HTTP answer.
  public var status: Int
  /// The page, in HTML.
  public var page: String
  /// Whether the wait is over.
  public var isAnswer: Bool

  /// A result with the parts given.
  public init(status: Int, page: String, isAnswer: Bool) {
    self.status = status
    self.page = page
    self.isAnswer = isAnswer
  }
}

/// Opens the sign-in page, or says how it can be opened.
public protocol BrowserOpening: Sendable {
  /// Opens an address in the user's browser.
  /// - Returns: whether a browser was started; where it was not, the address is shown to the user.
  func open(_ address: HTTPURL) -> Bool
}
