import TokenVaultSignIn

/// The place of a start page at a listener on a loopback address.
struct StartAddress {
  private var page: StartPage?
  private var host = ""

  /// Serves the page.
  /// - Parameters:
  ///   - page: the page.
  ///   - listener: a URL of the listener.
  /// - Returns: the page's address. It names `localhost` by its address, which no setting of a
  ///   browser and no name server changes.
  mutating func serve(_ page: StartPage, at listener: String) throws(SignInError) -> HTTPURL {
    guard let base = HTTPURL(listener) else { throw .invalidRedirectURI }
    let origin = base.origin.replacing("//localhost", with: "//127.0.0.1")
    guard let address = HTTPURL(origin + page.path) else { throw .invalidRedirectURI }
    host = String(origin.dropFirst("http://".count))
    self.page = page
    return address
  }

  /// The reply to a request; nil if it is not for the page.
  mutating func evaluate(_ request: RedirectRequest) -> RedirectResult? {
    page?.evaluate(request, host: host)
  }
}
