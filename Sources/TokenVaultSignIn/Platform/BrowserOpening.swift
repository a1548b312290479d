/// Opens the sign-in page.
public protocol BrowserOpening: Sendable {
  /// Opens a URL in the user's browser.
  /// - Returns: whether a browser started; if not, the application shows the URL to the user.
  func open(_ address: HTTPURL) -> Bool
}
