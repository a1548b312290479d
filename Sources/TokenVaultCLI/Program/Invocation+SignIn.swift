import Glibc
import TokenVaultSignIn
import TokenVaultSignInTransport
import TokenVault

extension Invocation {
  /// The machine's side of signing in.
  /// - Parameter browser: the command of `--browser`; empty for none at all.
  func platform(browser: String? = nil) -> SignInPlatform {
    .system(
      environment: Self.wholeEnvironment(), browser: browser,
      userAgent: "TokenVault/\(PublicClientApplication.version)")
  }

  /// Gets tokens for a group, until somebody presses Ctrl-C.
  func acquisition(
    in core: GroupSession, browser: String? = nil,
    report: @escaping @Sendable (SignInEvent) -> Void
  ) -> Acquisition {
    Acquisition(
      core, platform: platform(browser: browser), Interruption.wish(), report: report)
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
