import Glibc
import TokenVaultSignIn
import TokenVaultSignInTransport
import TokenVault

extension Invocation {
  /// The browser and network that a sign-in uses.
  /// - Parameter browser: the value of `--browser`; empty for no browser.
  func platform(browser: String? = nil) -> SignInPlatform {
    var platform = SignInPlatform.system(
      environment: Self.wholeEnvironment(), browser: browser,
      userAgent: "TokenVault/\(PublicClientApplication.version)")
    platform.transport = NotingTransport(transport: platform.transport)
    return platform
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

  /// Whether the process can show a window.
  var hasDesktop: Bool { environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil }

  /// Refuses the value of `--browser` if it names no program. A quoted name is left to the start of
  /// the browser.
  func requireBrowser(_ command: String?) throws(CommandError) {
    guard let name = command?.split(whereSeparator: { " \t".contains($0) }).first.map(String.init),
      !name.contains(where: { "\"'\\".contains($0) })
    else { return }
    guard Self.hasProgram(name) else { throw .unknownBrowser(name) }
  }

  /// Whether a program is in PATH, or at the path.
  static func hasProgram(_ name: String) -> Bool {
    let directories = (wholeEnvironment()["PATH"] ?? "").split(separator: ":")
    let paths = name.contains("/") ? [name] : directories.map { "\($0)/\(name)" }
    return paths.contains { unsafe access($0, X_OK) == 0 }
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
