import TokenVault
import TokenVaultModel

extension VerificationFindings {
  func write(_ group: GroupName, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("group", group.description)
      writer.field("sound", isSound)
      writer.field("accounts", accounts)
      writer.field("credentials", credentials)
      writer.field("damagedAccounts", damagedAccounts)
      writer.field("strayRows", strayRows)
      writer.key("structure")
      if let structure { writer.string(structure) } else { writer.null() }
      writer.key("historyDamaged")
      writer.bool(isHistoryDamaged)
    }
  }
}
