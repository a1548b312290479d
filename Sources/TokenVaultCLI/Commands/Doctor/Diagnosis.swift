import TokenVault
import TokenVaultKeyCustody
import TokenVaultModel

/// Checks every precondition, without a prompt.
///
/// A missing part is a failure if the group in force cannot be used without it, and otherwise a
/// warning that names the commands that need it.
struct Diagnosis {
  /// The invocation without prompts.
  let invocation: Invocation
  /// The user's invocation, for the ways that messages offer.
  private let original: Invocation
  /// Whether to correct faults that can be corrected without a risk.
  let fixes: Bool

  init(_ invocation: Invocation, fixes: Bool) {
    var quiet = invocation
    quiet.options.mayAsk = false
    self.invocation = quiet
    original = invocation
    self.fixes = fixes
  }

  func findings() throws -> [Finding] {
    let vault = GroupSession(try invocation.configuration(.universalStorage))
    var all = Self.process()
    all.append(Self.clock(invocation.now))
    // Correcting the modes of the directories makes the groups readable, so it precedes them.
    all.append(directory(vault))
    all.append(configurationFile())
    all += manifests(vault)
    let inForce = groupInForce()
    let groups = try invocation.groupsOnDisk()
    let described = Set(groups + [inForce]).reduce(into: [GroupName: GroupDescription]()) {
      $0[$1] = description(of: $1)
    }
    func isInKeyring(_ group: GroupName) -> Bool {
      // A group that does not exist yet would be created with its key in the keyring.
      (described[group]?.custody ?? .secretService) == .secretService
    }
    let hasFile = described[inForce]?.file != nil
    let others = groups.filter { $0 != inForce && isInKeyring($0) }
    if isInKeyring(inForce) || !others.isEmpty {
      let affected = isInKeyring(inForce) ? [] : others.map { "the group \($0)" }
      all += secretService(vault, of: isInKeyring(inForce) ? inForce : others[0], stops: affected)
      all.append(libsecret(isNeeded: isInKeyring(inForce) && !hasFile))
    }
    all += [libcurl(), browser()] + [desktopEntries()].compactMap(\.self)
    all.append(try leftovers(vault, groups))
    all += groups.compactMap(missingManifest)
    for group in groups { all.append(self.group(group, isInForce: group == inForce)) }
    return all
  }

  private func description(of group: GroupName) -> GroupDescription? {
    // absent is an answer: a group that cannot be described has a failing check of its own.
    do {
      return try GroupInspection(GroupSession(invocation.configuration(group))).describe()
    } catch {
      return nil
    }
  }

  /// The group in force; the standard group if the configuration cannot be used, which is a failing
  /// check of its own.
  private func groupInForce() -> GroupName {
    do { return try invocation.select(needsAccount: false).group } catch {
      return .universalStorage
    }
  }

  /// - Parameter stops: the commands that a failure affects if others work.
  static func check(
    _ id: String, _ title: String, stops: [String] = [], _ body: () throws -> String
  ) -> Finding {
    do { return Finding(id, title, try body()) } catch {
      let failure = Failure(error)
      return Finding(id, title, failure.message, failure: failure, stops: stops)
    }
  }

  /// The error as the commands report it, with the ways out on this machine.
  func refined(_ error: any Error) -> Failure { Failure(original.refined(error)) }

  private func configurationFile() -> Finding {
    Self.check("configuration", "configuration") {
      let group = try invocation.select(needsAccount: false)
      guard invocation.knows(group.group) else {
        throw refined(CommandError.unknownGroup(group.group))
      }
      return "group \(group.group), \(group.groupRule.reason(isAccount: false))"
    }
  }

  private func manifests(_ vault: GroupSession) -> [Finding] {
    let names: [GroupName]
    do { names = try vault.configuration.manifests.names() } catch {
      return [Self.check("manifests", "manifests") { throw error }]
    }
    let failed = names.compactMap { name -> Finding? in
      let finding = Self.check("manifests", "manifest \(name)") {
        _ = try vault.configuration.manifests.find(name)
        return ""
      }
      return finding.failure == nil ? nil : finding
    }
    return failed.isEmpty ? [Finding("manifests", "manifests", "\(names.count) valid")] : failed
  }

  // MARK: Files and groups

  private func directory(_ vault: GroupSession) -> Finding {
    checkFiles("vault-directory", "vault directory") {
      let path = PlainText.escaped(vault.configuration.directory)
      return try GroupInspection(vault).checkDirectory() ? path : "\(path) (not created yet)"
    }
  }

  private func group(_ name: GroupName, isInForce: Bool) -> Finding {
    let finding = checkFiles("group", "group \(name)") { try open(name) }
    guard !isInForce, let failure = finding.failure, finding.isAboutKey else { return finding }
    var warning = Finding(
      finding.id, finding.title, finding.detail, failure: failure, stops: ["the group \(name)"])
    warning.corrections = finding.corrections
    return warning
  }

  private func open(_ name: GroupName) throws -> String {
    let vault = GroupSession(try invocation.configuration(name))
    do {
      let (pending, wrappedSuccessors) = try GroupInspection(vault).diagnose()
      guard pending == 0, !wrappedSuccessors else {
        throw Failure(
          .inputOutput,
          "A sign-out is not finished: \(pending.counted("former key")) could not be deleted. "
            + "Stored accounts are not affected.",
          next: "tokenvault list --group \(name)", note: Failure.triesAgain)
      }
      return "can be opened"
    } catch VaultError.noManifest {
      throw Self.lacksKeyFile(vault.configuration)
    } catch VaultError.custody(.passphraseRequired, group: _) {
      // There is no prompt here, so the passphrase cannot be checked.
      return "needs its passphrase"
    }
  }

  /// A check that corrects modes and repeats itself, with `--fix`.
  private func checkFiles(
    _ id: String, _ title: String, _ body: () throws -> String
  ) -> Finding {
    var corrections: [String] = []
    // Each round corrects one path: the directories of the vault, then a file.
    for _ in 0..<4 {
      var correction: String?
      var finding = Self.check(id, title) {
        do { return try body() } catch {
          if fixes { correction = FileModeCorrection(error)?.apply() }
          throw refined(error)
        }
      }
      finding.corrections = corrections
      guard let correction else { return finding }
      corrections.append(correction)
    }
    return Self.check(id, title, body)
  }
}

extension Finding {
  /// Whether the key of a group could not be retrieved, although its file may be sound.
  fileprivate var isAboutKey: Bool {
    switch failure?.status {
    case .unreachable, .refused: true
    default: false
    }
  }
}
