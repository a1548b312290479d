import TokenVault
import TokenVaultModel

extension SignOutReport {
  /// The report of one group in JSON.
  func write(_ group: GroupName, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("group", group.description)
      writer.key("accounts")
      writer.array(accounts) { $1.write(to: &$0) }
      writer.key("keptAccounts")
      writer.array(keptAccounts) { $1.write(to: &$0) }
      writer.field("clean", isClean)
      writer.key("places")
      writer.array(entries) { writer, entry in
        writer.object {
          $0.field("place", entry.place.rawValue)
          $0.field("clean", entry.isClean)
          $0.field("detail", entry.detail)
          if let file = entry.file { $0.field("file", file) }
          if let removal = entry.removal { $0.field("next", removal) }
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
  /// The value of `outcome`; stable.
  private var outcomeWord: String {
    switch outcome {
    case .revoked: "revoked"
    case .notOffered: "notOffered"
    case .byUserOnly: "byUserOnly"
    case .failed: "failed"
    case .unknownAuthority: "unknownAuthority"
    }
  }

  fileprivate func write(to writer: inout JSONWriter) {
    writer.object {
      $0.field("environment", environment)
      $0.field("clientId", clientID)
      $0.field("outcome", outcomeWord)
      $0.field("detail", detail)
      if case .byUserOnly(let page) = outcome { $0.field("page", page.description) }
    }
  }
}

extension SignOutReport.BrowserSession {
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
        writer.field("detail", Failure(error).reason)
      }
    }
  }
}
