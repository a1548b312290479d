public import TokenVaultSignIn
import TokenVaultSystem

extension SignInPlatform {
  /// The services of this machine, with the environment variables of this process.
  public static var system: SignInPlatform {
    .system(environment: ProcessEnvironment.variables())
  }

  /// The services of this machine: libcurl, listeners on loopback and for private-use schemes, and
  /// the user's browser.
  ///
  /// ```swift
  /// let platform = SignInPlatform.system(environment: ProcessInfo.processInfo.environment)
  /// ```
  /// - Parameters:
  ///   - environment: the process's environment. SSL_CERT_FILE and SSL_CERT_DIR replace the trusted
  ///     certificates; BROWSER, DISPLAY and WAYLAND_DISPLAY determine the browser; XDG_RUNTIME_DIR
  ///     holds the socket for a private-use scheme, XDG_DATA_HOME and XDG_DATA_DIRS the programs
  ///     that the desktop opens its URLs with. If there is none, `tokenvault` in PATH is registered.
  ///     The browser inherits all variables.
  ///   - browser: a command to run instead of the user's browser, for example
  ///     `firefox --private-window` for a session that leaves no traces. Its words are split like
  ///     plain, quoted and escaped words in a shell, and nothing is expanded; the URL replaces
  ///     `%s`, or becomes the last argument. Empty for no browser.
  ///   - userAgent: the User-Agent field of requests.
  public static func system(
    environment: [String: String], browser: String? = nil, userAgent: String = "TokenVault"
  ) -> SignInPlatform {
    SignInPlatform(
      transport: CurlTransport(
        HTTPSettings(
          certificateFile: environment["SSL_CERT_FILE"],
          certificateDirectory: environment["SSL_CERT_DIR"], userAgent: userAgent)),
      receiver: SystemRedirectReceiver(
        runtimeDirectory: environment["XDG_RUNTIME_DIR"],
        registrar: SchemeRegistrar(environment: environment)),
      browser: UserBrowser(browser, environment))
  }
}
