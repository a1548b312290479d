import TokenVault
import TokenVaultModel

extension StatusReport {
  /// The screen.
  var text: [UInt8] {
    var rows = [
      ["group", selection.group.description],
      ["", selection.groupRule.reason(isAccount: false)],
      ["account", account.map { PlainText.escaped($0.shownName) } ?? "none"],
    ]
    if let account {
      rows.append(["", selection.accountRule.reason(isAccount: true)])
      rows.append(["token", token(of: account)])
    }
    rows.append(["custody", group.custody?.word ?? "-"])
    if let file = group.file { rows += condition.rows(file.generation, now: now) }
    var text = TextTable(rows).text()
    for concern in concerns {
      text += "\n\(concern.message)\(Failure.ending(concern.next, concern.note))\n".utf8
    }
    return text
  }

  private func token(of account: Account) -> String {
    guard account.authorityType != .secret else {
      let end = account.accessTokenExpiresOn.flatMap { $0.isNever ? nil : $0 }
      return "stored secret" + (end.map { ", \(expiry($0))" } ?? "")
    }
    let renewal = account.isRefreshTokenStored ? ", renewed when it is used" : ""
    guard let end = account.accessTokenExpiresOn else {
      return account.isRefreshTokenStored ? "requested when it is used" : "none"
    }
    if account.endsWithToken(now) { return "\(expiry(end)), needs sign-in" }
    return end > now ? expiry(end) : expiry(end) + renewal
  }

  private func expiry(_ end: Timestamp) -> String {
    (end > now ? "expires " : "expired ") + end.relative(to: now)
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("group", selection.group.description)
      writer.key("groupRule")
      selection.groupRule.write(to: &writer)
      writer.key("account")
      if let account { account.write(to: &writer) } else { writer.null() }
      writer.key("accountRule")
      selection.accountRule.write(to: &writer)
      writer.field("exists", group.file != nil)
      writer.key("custody")
      if let custody = group.custody { writer.string(custody.word) } else { writer.null() }
      condition.writeFields(group.file?.generation, now: now, to: &writer)
      writer.key("attention")
      writer.array(concerns) { writer, concern in
        writer.object {
          $0.field("code", concern.code)
          $0.field("message", concern.message)
          if let next = concern.next { $0.field("next", next) }
          if let note = concern.note { $0.field("note", note) }
        }
      }
    }
  }
}
