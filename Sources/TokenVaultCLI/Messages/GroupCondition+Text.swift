import TokenVault
import TokenVaultModel

extension GroupCondition {
  /// The rows of `group show` and `status` about a group that has a file.
  /// - Parameters:
  ///   - generation: The generation of the group's key.
  ///   - now: The time of the command.
  func rows(_ generation: UInt64, now: Timestamp) -> [[String]] {
    var rows = [["locked", isLocked.map { $0 ? "yes" : "no" } ?? "unknown"]]
    if let end = unlockedUntil(now) {
      rows.append(["unlocked", "until \(end.iso8601), \(end.relative(to: now))"])
    }
    if let content { rows.append(["accounts", "\(content.accounts)"]) }
    if let hasRecoveryCode {
      let made = content?.history.recoveryCodeMade.map { ", made \($0.relative(to: now))" } ?? ""
      rows.append(["recovery code", hasRecoveryCode ? "yes\(made)" : "none"])
    }
    if let content {
      let backup = content.history.backup.map { backup in
        "\(backup.time.relative(to: now)), \(PlainText.escaped(backup.path))"
          + (backup.generation < generation ? " (made with a former key)" : "")
      }
      let none = content.isHistoryDamaged ? "unknown" : "none recorded"
      rows.append(["last backup", backup ?? none])
    }
    return rows
  }

  func unlockedUntil(_ now: Timestamp) -> Timestamp? {
    secondsUnlocked.map { now.advanced(by: Int64($0)) }
  }

  /// The fields of `group show` and `status`; null where something is not known.
  func writeFields(_ generation: UInt64?, now: Timestamp, to writer: inout JSONWriter) {
    writer.key("locked")
    if generation != nil, let isLocked { writer.bool(isLocked) } else { writer.null() }
    writer.key("unlockedUntil")
    write(unlockedUntil(now), to: &writer)
    writer.key("accounts")
    if let content { writer.number(content.accounts) } else { writer.null() }
    writer.key("recoveryCode")
    if let hasRecoveryCode { writer.bool(hasRecoveryCode) } else { writer.null() }
    writer.key("recoveryCodeMadeOn")
    write(content?.history.recoveryCodeMade, to: &writer)
    writer.key("lastBackup")
    guard let generation, let backup = content?.history.backup else { return writer.null() }
    writer.object {
      $0.field("path", backup.path)
      $0.field("madeOn", backup.time.iso8601)
      $0.field("outdated", backup.generation < generation)
    }
  }

  private func write(_ time: Timestamp?, to writer: inout JSONWriter) {
    if let time { writer.string(time.iso8601) } else { writer.null() }
  }
}
