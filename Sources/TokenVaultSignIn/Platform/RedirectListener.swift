/// A listener for one sign-in.
public protocol RedirectListener: AnyObject {
  /// The redirect URI, with the port that was chosen.
  var redirectURI: String { get }

  /// Waits until `evaluate` accepts a request as the provider's redirect. Every other request gets
  /// the reply that `evaluate` returns, and the wait continues. A slow client does not delay the
  /// others. The browser has received its page when the call returns.
  /// - Throws: ``SignInError/timedOut``, ``SignInError/cancelled``.
  func receive(
    deadlineMilliseconds: Int, _ cancellation: Cancellation,
    evaluate: (RedirectRequest) -> RedirectResult
  ) throws(SignInError)

  /// Stops listening.
  func close()
}
