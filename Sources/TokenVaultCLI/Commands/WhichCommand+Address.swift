import TokenVault
import TokenVaultCredentialHelpers
import TokenVaultModel
import TokenVaultSignIn

extension WhichCommand {
  /// Shows the credential that another tool would get for an address, and how it is found.
  func explain(_ text: String, in invocation: Invocation) throws {
    guard let address = HTTPURL(text.contains("://") ? text : "https://" + text) else {
      throw CommandError.badServiceURL(text)
    }
    var quiet = invocation
    quiet.options.mayAsk = false
    var steps: [(step: String, finding: String)] = []
    let search = CredentialSearch(quiet, at: address) { steps.append(($0, $1)) }
    var match: CredentialSearch.Match?
    var failure: (any Error)?
    // The steps are printed in any case: they say why there is no credential.
    do { match = try search.match(CredentialQuery(address)) } catch { failure = error }
    if global.json {
      try invocation.answerJSON { write(address, match, steps, to: &$0) }
    } else {
      let rows = (match?.rows ?? []) + [["", ""]] + steps.map { [$0.step, $0.finding] }
      try invocation.answer(TextTable(rows).text())
    }
    if let failure { throw failure }
    if match == nil { throw Failure.noCredential(at: address) }
  }

  private func write(
    _ address: HTTPURL, _ match: CredentialSearch.Match?,
    _ steps: [(step: String, finding: String)], to writer: inout JSONWriter
  ) {
    writer.object { writer in
      writer.field("address", address.description)
      writer.key("account")
      if let account = match?.candidate.account {
        account.write(to: &writer)
      } else {
        writer.null()
      }
      writer.key("group")
      if let group = match?.vault.group { writer.string("\(group)") } else { writer.null() }
      writer.key("reason")
      if let reason = match?.reason { writer.string(reason.text) } else { writer.null() }
      writer.key("steps")
      writer.array(steps) { writer, step in
        writer.object {
          $0.field("step", step.step)
          $0.field("finding", step.finding)
        }
      }
    }
  }
}

extension CredentialSearch.Match {
  fileprivate var rows: [[String]] {
    let kind =
      switch candidate {
      case .secret(let found): "stored secret of \(PlainText.escaped(found.service.description))"
      case .token: "access token"
      }
    return [
      ["account", PlainText.escaped(candidate.account.shownName)], ["", reason.text],
      ["group", "\(vault.group)"], ["credential", kind],
    ]
  }
}
