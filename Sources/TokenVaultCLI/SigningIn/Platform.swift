import Glibc
import SignIn
import SignInTransport
import TokenVault

extension Invocation {
  /// The machine's side of signing in.
  /// - Parameter browser: the command of `--browser`; empty for none at all.
  func platform(browser: String? = nil) -> SignInPlatform {
    SignInPlatform(
      transport: CurlTransport(
        HTTPSettings(
          certificateFile: environment["SSL_CERT_FILE"],
          certificateDirectory: environment["SSL_CERT_DIR"],
          userAgent: "TokenVault/\(PublicClientApplication.version)")),
      receiver: SystemRedirectReceiver(runtimeDirectory: environment["XDG_RUNTIME_DIR"]),
      browser: BrowserChoice(browser, environment))
  }

  /// Gets tokens for a group, until somebody presses Ctrl-C.
  func acquisition(
    in core: VaultCore, browser: String? = nil,
    report: @escaping @Sendable (SignInEvent) -> Void
  ) -> Acquisition {
    Acquisition(
      core: core, platform: platform(browser: browser), Interruption.wish(), report: report)
  }

  /// All variables, for programs that are started.
  static func wholeEnvironment() -> [String: String] {
    var all: [String: String] = [:]
    var next = unsafe environ
    while let pair = unsafe next.pointee {
      let parts = unsafe String(cString: pair).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { all[String(parts[0])] = String(parts[1]) }
      unsafe next += 1
    }
    return all
  }
}

/// The user's browser: `--browser`, else BROWSER, else the desktop's. Without a desktop there is
/// none, and the address is shown instead.
private struct BrowserChoice: BrowserOpening {
  private let commands: [String]

  init(_ command: String?, _ environment: [String: String]) {
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

  func open(_ address: WebAddress) -> Bool {
    guard !commands.isEmpty else { return false }
    let environment = Invocation.wholeEnvironment()
    return commands.contains { BrowserCommand($0, environment: environment).open(address) }
  }
}
