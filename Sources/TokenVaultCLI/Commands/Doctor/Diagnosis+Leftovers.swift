import TokenVault
import TokenVaultModel
import TokenVaultSignInTransport

/// The checks for files that a killed process or a removed installation left, and for manifests that
/// are missing.
extension Diagnosis {
  func leftovers(_ vault: GroupSession, _ groups: [GroupName]) throws -> Finding {
    var corrections: [String] = []
    var left = vault.configuration.settingsDirectories.flatMap(LeftoverFile.all).map(\.path)
    if fixes {
      let removed = vault.configuration.settingsDirectories.flatMap(LeftoverFile.all)
        .compactMap { file in file.remove().map { (file.path, $0) } }
      left.removeAll { path in removed.contains { $0.0 == path } }
      corrections = removed.map(\.1)
    }
    for group in groups {
      let inspection = GroupInspection(GroupSession(try invocation.configuration(group)))
      let removed = fixes ? inspection.removeRestoreCopies() : []
      corrections += removed.map {
        "removed \(PlainText.escaped($0)), a copy that a killed restore left"
      }
      left += inspection.restoreCopies()
    }
    return corrected("leftovers", "leftover files", corrections, stops: ["no command"]) {
      guard left.isEmpty else {
        throw Failure(
          .inputOutput,
          "A killed process left \(left.map(Failure.path).joined(separator: ", ")). Nothing was "
            + "changed.",
          next: fixes ? "ls -l \(PlainText.shellWord(left[0]))" : Self.fix)
      }
      return "none"
    }
  }

  /// If the program of a desktop entry is gone, a sign-in with a private-use scheme waits in vain.
  func desktopEntries() -> Finding? {
    let registrar = SchemeRegistrar(environment: Invocation.wholeEnvironment())
    let entries = registrar.ownEntries()
    guard !entries.isEmpty else { return nil }
    var corrections: [String] = []
    if fixes {
      for entry in entries where !entry.works && registrar.renew(entry.scheme) {
        corrections.append(
          "\(PlainText.escaped(entry.path)) starts the tokenvault in PATH again")
      }
    }
    return corrected(
      "desktop-entries", "desktop entries", corrections,
      stops: ["sign-in with a private-use scheme"]
    ) {
      if let broken = registrar.ownEntries().first(where: { !$0.works }) {
        throw Failure(
          .configuration,
          "\(Failure.path(broken.path)) starts a program that does not exist.",
          next: fixes ? "rm \(PlainText.shellWord(broken.path))" : Self.fix)
      }
      return entries.count.counted("entry")
    }
  }

  /// Nil if the group has a manifest, or its key in a key file, which only a manifest names: then the
  /// check of the group fails. Without a manifest, tokenvault opens the group by its header, and no
  /// other tool opens it.
  func missingManifest(_ group: GroupName) -> Finding? {
    // absent is an answer: another check has this error.
    do {
      let configuration = try invocation.configuration(group)
      let inspection = GroupInspection(GroupSession(configuration))
      guard try inspection.lacksManifest(), try inspection.custody() != .keyFile else { return nil }
      let saved = fixes ? try inspection.saveMissingManifest() : nil
      let correction = saved.map {
        "wrote \(PlainText.escaped($0)), with tokenvault as the only member"
      }
      return corrected(
        "missing-manifest", "manifest \(group)", [correction].compactMap(\.self),
        stops: ["group members", "tools that share the group"]
      ) {
        guard saved != nil else { throw VaultError.noManifest(group) }
        return "present"
      }
    } catch {
      return nil
    }
  }

  /// Only the user knows the path of the key file.
  static func lacksKeyFile(_ configuration: VaultConfiguration) -> Failure {
    let group = configuration.group
    let directory = configuration.manifestDirectories.first ?? "."
    return Failure(
      .configuration, "The group \(group) has no manifest, which names its key file.",
      next: "$EDITOR \(PlainText.shellWord("\(directory)/\(group).json"))",
      note: #"with {"name": "\#(group)", "title": "\#(group)", "members": ["tokenvault"], "#
        + #""custody": {"key-file": "/PATH"}, "deviceMode": "private"}"#)
  }

  static let fix = "tokenvault doctor --fix"

  private func corrected(
    _ id: String, _ title: String, _ corrections: [String], stops: [String],
    _ body: () throws -> String
  ) -> Finding {
    var finding = Self.check(id, title, stops: stops, body)
    finding.corrections = corrections
    return finding
  }
}
