/// A listener's reply to a request.
public struct RedirectResult: Sendable {
  /// The status of the HTTP response.
  public var status: Int
  /// The page, in HTML.
  public var page: String
  /// Whether the request was the provider's redirect, which ends the wait.
  public var isAnswer: Bool
  /// The address that the browser goes to; nil for none.
  package var location: HTTPURL?

  /// A result with the given parts.
  public init(status: Int, page: String, isAnswer: Bool) {
    self.status = status
    self.page = page
    self.isAnswer = isAnswer
  }
}
