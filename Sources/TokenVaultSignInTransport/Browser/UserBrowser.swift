import TokenVaultSignIn

/// The given browser, else the one in BROWSER, else the desktop's. Without a desktop there is none,
/// and the application shows the URL instead.
struct UserBrowser: BrowserOpening {
  let commands: [String]
  private let environment: [String: String]

  init(_ command: String?, _ environment: [String: String]) {
    self.environment = environment
    if let command {
      commands = [command]
    } else if let variable = environment["BROWSER"] {
      // A list of commands between colons, of which the first that works is used, as in xdg-open.
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
