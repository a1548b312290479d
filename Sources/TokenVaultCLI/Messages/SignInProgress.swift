import Glibc
import Synchronization
import TokenVaultSignIn
import TokenVault

/// Messages on standard error while a command waits for the provider or the user.
struct SignInProgress: Sendable {
  let isVerbose: Bool
  /// How long the command waits, as the user gave it; empty for as long as a device code is valid.
  var patience = ""
  private let otherUser = Once()

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
      return isVerbose ? ["contacting \(PlainText.escaped(host))"] : []
    case .waitingForBrowser(let address, true):
      return [
        "Waiting up to \(patience) for the sign-in in the browser. Ctrl-C cancels."
      ] + (isVerbose ? ["  \(address)"] : [])
    case .waitingForBrowser(let address, false):
      return [
        "To sign in, open this page in a browser on this machine:", "  \(address)",
        "Waiting up to \(patience). Ctrl-C cancels; --device-code works without a browser here.",
      ]
    case .waitingForDevice(let code): return lines(code)
    case .requestRefused(let reason):
      let hint =
        reason == StrayRequest.otherUser.rawValue && otherUser.isFirst
        ? [
          "A request of another user of this machine was refused. If it came from your browser, press "
            + "Ctrl-C and run: tokenvault sign-in --device-code"
        ] : []
      return (isVerbose ? ["refused a request to the sign-in's port: \(reason)"] : []) + hint
    case .redirectReceived:
      return isVerbose ? ["received the response through the browser"] : []
    case .waitingForOtherProcess:
      let isSeen = isVerbose || isatty(STDERR_FILENO) == 1
      return isSeen
        ? ["Another process is requesting a token for this account; waiting for it."] : []
    case .retryingToStore:
      return ["The new refresh token cannot be stored at the moment; trying for 60 s."]
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
    let time = patience.isEmpty ? "\((code.expiresIn + 59) / 60) min" : patience
    return lines + ["Waiting up to \(time). Ctrl-C cancels."]
  }

  /// A fact that is reported once.
  private final class Once: Sendable {
    private let isReported = Atomic(false)
    var isFirst: Bool { !isReported.exchange(true, ordering: .relaxed) }
  }
}
