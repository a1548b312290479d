public import TokenVaultSignIn

extension SignInPlatform {
  /// This machine: libcurl, listeners on loopback and for private schemes, the user's browser.
  /// - Parameters:
  ///   - environment: all of the process's variables. SSL_CERT_FILE and SSL_CERT_DIR say whom TLS
  ///     trusts, BROWSER, DISPLAY and WAYLAND_DISPLAY which browser there is, XDG_RUNTIME_DIR
  ///     where a private scheme's answer is taken; the browser is started with all of them.
  ///   - browser: a command in the place of the user's browser, as in
  ///     ``BrowserCommand/init(_:environment:patienceMilliseconds:)`` (`firefox --private-window`
  ///     for a session that leaves nothing behind); empty for none at all.
  ///   - userAgent: the User-Agent field of requests.
  public static func system(
    environment: [String: String], browser: String? = nil, userAgent: String = "TokenVault"
  ) -> SignInPlatform {
    SignInPlatform(
      transport: CurlTransport(
        HTTPSettings(
          certificateFile: environment["SSL_CERT_FILE"],
          certificateDirectory: environment["SSL_CERT_DIR"], userAgent: userAgent)),
      receiver: SystemRedirectReceiver(runtimeDirectory: environment["XDG_RUNTIME_DIR"]),
      browser: UserBrowser(browser, environment))
  }
}

/// The browser that is named, else BROWSER, else the desktop's. Without a desktop there is none,
/// and the address is shown instead.
struct UserBrowser: BrowserOpening {
  let commands: [String]
  private let environment: [String: String]

  init(_ command: String?, _ environment: [String: String]) {
    self.environment = environment
    if let command {
      commands = [command]
    } else if let variable = environment["BROWSER"] {
      // Several stand with colons between them, the first that works is taken (xdg-open).
      commands = variable.split(separator: ":").map(String.init)
    } else {
      let hasDesktop = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0] != nil }
      commands = hasDesktop ? ["xdg-open"] : []
    }
  }

  func open(_ address: HTTPURL) -> Bool {
    commands.contains { BrowserCommand($0, environment: environment).open(address) }
  }
}
