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
      } else if try vault.contains(finding, of: audit) {
        chosen.insert(finding)
      } else {
        reasons[finding] = "it is not in the vault"
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
    do { try FileReplacement(path: file.place, state: file.state).write(rest) } catch {
      return error.text
    }
    return nil
  }
}
