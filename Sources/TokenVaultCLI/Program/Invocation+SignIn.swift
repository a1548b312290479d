import Glibc
import TokenVaultSignIn
import TokenVaultSignInTransport
import TokenVault

extension Invocation {
  /// The browser and network that a sign-in uses.
  /// - Parameter browser: the value of `--browser`; empty for no browser.
  func platform(browser: String? = nil) -> SignInPlatform {
    .system(
      environment: Self.wholeEnvironment(), browser: browser,
      userAgent: "TokenVault/\(PublicClientApplication.version)")
  }

  /// Acquires tokens for a group; Ctrl-C cancels.
  func acquisition(
    in core: GroupSession, browser: String? = nil,
    report: @escaping @Sendable (SignInEvent) -> Void
  ) -> Acquisition {
    var acquisition = Acquisition(
      core, platform: platform(browser: browser), Interruption.handled(), report: report)
    acquisition.storingMilliseconds = 60_000
    return acquisition
  }

  /// All variables, for child processes.
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
