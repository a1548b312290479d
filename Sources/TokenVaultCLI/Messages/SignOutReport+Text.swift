import TokenVaultSignIn
import TokenVault
import TokenVaultModel

extension SignOutReport {
  /// The report of one group in JSON.
  func write(_ group: GroupName, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("group", group.description)
      writer.key("accounts")
      writer.array(accounts) { $1.write(to: &$0) }
      writer.field("clean", isClean)
      writer.key("places")
      writer.array(entries) { writer, entry in
        writer.object {
          $0.field("place", entry.place.rawValue)
          $0.field("clean", entry.isClean)
          $0.field("detail", entry.detail)
        }
      }
      writer.key("revocations")
      writer.array(revocations) { $1.write(to: &$0) }
      writer.key("browserSessions")
      writer.array(browserSessions) { $1.write(to: &$0) }
    }
  }
}

extension SignOutReport.Revocation {
  private var told: (outcome: String, detail: String) {
    switch outcome {
    case .revoked: ("revoked", "the provider took the tokens back")
    case .notOffered:
      (
        "notOffered",
        "the provider has no revocation; what was handed out stays valid until it ends"
      )
    case .failed(let error): ("failed", Failure(error).message)
    case .unknownAuthority: ("unknownAuthority", "it is not known who issued the tokens")
    }
  }

  /// The line for people. What was not revoked is easy to see.
  var line: String {
    let host = PlainText.escaped(environment)
    return outcome == .revoked
      ? "revoked  \(host): \(told.detail)" : "NOT REVOKED  \(host): \(told.detail)"
  }

  fileprivate func write(to writer: inout JSONWriter) {
    writer.object {
      $0.field("environment", environment)
      $0.field("clientId", clientID)
      $0.field("outcome", told.outcome)
      $0.field("detail", told.detail)
    }
  }
}

extension SignOutReport.BrowserSession {
  /// The line for people.
  var line: String {
    switch self {
    case .opened(let page): "browser  \(page.host): its page was opened; sign out there"
    case .notOpened(let page): "browser  to sign out there too, open \(page)"
    case .notOffered(let host):
      "BROWSER STILL SIGNED IN  \(PlainText.escaped(host)): the provider has no page for it"
    case .failed(let host, let error):
      "BROWSER STILL SIGNED IN  \(PlainText.escaped(host)): \(Failure(error).message)"
    }
  }

  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      switch self {
      case .opened(let page):
        writer.field("environment", page.host)
        writer.field("outcome", "opened")
        writer.field("page", page.description)
      case .notOpened(let page):
        writer.field("environment", page.host)
        writer.field("outcome", "notOpened")
        writer.field("page", page.description)
      case .notOffered(let host):
        writer.field("environment", host)
        writer.field("outcome", "notOffered")
      case .failed(let host, let error):
        writer.field("environment", host)
        writer.field("outcome", "failed")
        writer.field("detail", Failure(error).message)
      }
    }
  }
}
