import Glibc
import TokenVaultSignIn
import TokenVault

/// What the person at the terminal is told while something is waited for.
struct SignInProgress: Sendable {
  let isVerbose: Bool
  /// For how long the browser is waited for.
  var patience = ""

  init(_ invocation: Invocation, patience: String = "") {
    isVerbose = invocation.options.isVerbose
    self.patience = patience
  }

  func tell(_ event: SignInEvent) {
    for line in lines(event) { Invocation.tell(line) }
  }

  private func lines(_ event: SignInEvent) -> [String] {
    switch event {
    case .contacting(let host):
      return isVerbose ? ["asking \(PlainText.escaped(host))"] : []
    case .waitingForBrowser(let address, true):
      return [
        "Waiting for the sign-in in the browser, for \(patience) at most. Ctrl-C cancels."
      ] + (isVerbose ? ["  \(address)"] : [])
    case .waitingForBrowser(let address, false):
      return [
        "Open this page to sign in, in a browser on this machine:", "  \(address)",
        "Waiting for \(patience) at most. Ctrl-C cancels; without a browser here: --device-code.",
      ]
    case .waitingForDevice(let code): return lines(code)
    case .redirectReceived:
      return isVerbose ? ["the browser brought the answer"] : []
    case .waitingForOtherProcess:
      let isSeen = isVerbose || isatty(STDERR_FILENO) == 1
      return isSeen ? ["Another process asks the provider for this account; waiting for it."] : []
    case .finished: return []
    }
  }

  private func lines(_ code: DeviceCode) -> [String] {
    var lines = [
      "To sign in, open this page on any device and enter the code:",
      "  \(PlainText.escaped(code.verificationURI))", "  \(PlainText.escaped(code.userCode))",
    ]
    if isatty(STDERR_FILENO) == 1 {
      lines += QRCode.lines(code.verificationURIComplete ?? code.verificationURI)
    }
    let minutes = (code.expiresIn + 59) / 60
    return lines + ["Waiting for \(minutes) min at most. Ctrl-C cancels."]
  }
}
