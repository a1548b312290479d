import TokenVaultCrypto

/// The page that the browser is started with: an address of the listener, which redirects to the
/// provider's page once.
///
/// Every user of the machine can read the arguments of the browser's process. Because of this page,
/// they contain neither state, nonce nor code challenge.
package struct StartPage: Sendable {
  /// A path that cannot be guessed.
  package let path: String
  private let provider: HTTPURL
  private var isUsed = false

  package init(_ provider: HTTPURL) throws(SignInError) {
    do { path = "/start/" + Base64URL.encode(try RandomBytes.make(32)) } catch {
      throw .cryptography
    }
    self.provider = provider
  }

  /// The reply to a request; nil if the request is for another page, or not of this user.
  /// - Parameter host: the host and port of the listener.
  package mutating func evaluate(_ request: RedirectRequest, host: String) -> RedirectResult? {
    guard request.path == path, !request.isOfOtherUser else { return nil }
    func refused(_ reason: StrayRequest) -> RedirectResult {
      RedirectResult(status: reason.status, page: RedirectPage.foreign, isAnswer: false)
    }
    guard request.host.lowercased() == host else { return refused(.host) }
    guard request.method == "GET" else { return refused(.method) }
    // A browser that loads the page before the user opens it must not use it up.
    guard !request.isPrefetch else { return refused(.prefetch) }
    guard request.isNavigation else { return refused(.embedded) }
    guard !isUsed else {
      return RedirectResult(status: 410, page: RedirectPage.used, isAnswer: false)
    }
    isUsed = true
    var result = RedirectResult(status: 303, page: "", isAnswer: false)
    result.location = provider
    return result
  }
}

/// A listener that can serve the page that the browser is started with.
package protocol StartPageServing: RedirectListener {
  /// Serves the page from now on.
  /// - Returns: its address.
  func serve(_ page: StartPage) throws(SignInError) -> HTTPURL
}
