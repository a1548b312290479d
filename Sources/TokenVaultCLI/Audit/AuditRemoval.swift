import TokenVault
import TokenVaultPlaintext

/// Takes findings that are in the vault out of their files.
struct AuditRemoval {
  private let audit: Audit
  /// The findings to take out.
  private(set) var chosen: Set<Audit.Finding> = []
  /// The reasons why findings stay.
  private(set) var reasons: [Audit.Finding: String] = [:]

  /// Chooses the findings that a vault has, and that can be taken out.
  init(_ audit: Audit, _ vault: AuditVault) throws {
    self.audit = audit
    for finding in audit.findings {
      if let obstacle = audit.secret(finding).obstacle {
        reasons[finding] = obstacle
      } else {
        switch try vault.presence(of: finding, in: audit) {
        case .same: chosen.insert(finding)
        case .newer: reasons[finding] = "the vault has a newer token than this file"
        case .missing: reasons[finding] = "it is not in the vault"
        }
      }
    }
  }

  /// Rewrites each file.
  mutating func run() {
    for index in audit.files.indices {
      let own = chosen.filter { $0.file == index }
      guard !own.isEmpty, let reason = remove(own, from: audit.files[index]) else { continue }
      chosen.subtract(own)
      for finding in own { reasons[finding] = reason }
    }
  }

  /// - Returns: The reason why the file stays as it is; nil if it was rewritten.
  private func remove(_ findings: Set<Audit.Finding>, from file: AuditedFile) -> String? {
    let rest: [UInt8]
    do { rest = try file.content.removing(Set(findings.map(\.secret))) } catch {
      return "the rest of the file would mean something else"
    }
    let replacement = FileReplacement(path: file.place, state: file.state)
    guard file.content.format == .msalCache else { return Self.write(rest, replacement) }
    do {
      return try CacheFileLock.hold(file.place, waiting: 10_000) {
        () throws(VaultError) -> String? in Self.write(rest, replacement)
      }
    } catch { return "another program holds the lock of the file" }
  }

  private static func write(_ rest: [UInt8], _ replacement: FileReplacement) -> String? {
    do { try replacement.write(rest) } catch { return error.text }
    return nil
  }
}
