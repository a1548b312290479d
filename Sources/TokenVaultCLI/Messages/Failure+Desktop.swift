import TokenVault
import TokenVaultKeyCustody
import TokenVaultModel
import TokenVaultSignIn

// MARK: The clipboard, the browser and the notifications of the desktop

extension Failure {
  static let noDesktop = Failure(
    .unreachable,
    "There is no clipboard: neither WAYLAND_DISPLAY nor DISPLAY is set. Nothing was changed.",
    next: again("in a terminal of the desktop"), code: "noClipboard")

  static func noClipboardProgram(_ package: String) -> Failure {
    Failure(
      .unreachable, "No program for the clipboard is installed. Nothing was changed.",
      next: "sudo apt-get install \(package)", code: "noClipboard")
  }

  static func clipboardFailed(_ program: String) -> Failure {
    Failure(
      .unreachable,
      "\(program) did not put the token on the clipboard. Stored tokens are "
        + "unchanged.",
      next: "tokenvault token", code: "clipboardFailed")
  }

  /// Another program may have taken the token over before.
  static let clipboardUnanswered = Failure(
    .unreachable,
    "The program that held the clipboard did not answer. The clipboard was emptied.",
    next: "tokenvault token", code: "clipboardFailed")

  static func clipboardNotCleared(_ program: String) -> Failure {
    Failure(
      .unreachable,
      "\(program) did not empty the clipboard. The token may still be on it. "
        + "Stored tokens are unchanged.",
      next: "copy another text", code: "clipboardFailed")
  }

  /// The provider of an account names no page for it.
  static func noPortal(_ account: Account, provider file: String?) -> Failure {
    let way =
      account.authorityType == .oidc
      ? file.map { "add \"portalPage\" to \(quoted($0)), then \(again())" } : nil
    return Failure(
      .notFound, "No page is known where \(name(account)) is shown.",
      next: way ?? command("status", account.group), code: "noPortal")
  }

  static func browserNotOpened(_ page: HTTPURL) -> Failure {
    Failure(
      .unreachable, "No browser could be started. Nothing was changed.",
      next: "open \(PlainText.escaped(page.description)) in a browser", code: "browserNotOpened")
  }

  static func notNotified(_ error: CustodyError) -> Failure {
    let reason =
      switch error {
      case .noBus: "there is no session bus"
      case .noService: "no notification daemon is running"
      case .timedOut: "the notification daemon does not answer"
      case .refused(let name): "the notification daemon answered \(quoted(name))"
      default: "the conversation with the notification daemon failed"
      }
    return Failure(
      .unreachable, "The notification was not shown: \(reason). Nothing was changed.",
      next: again("without --notify"), code: "notNotified")
  }
}
