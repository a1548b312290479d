import TokenVault
import TokenVaultModel

// MARK: An account that was not found, or not a single one

extension Failure {
  static func noAccount(_ text: String, _ group: GroupName) -> Failure {
    Failure(
      .notFound, "No account matches \(quoted(text)) in the group \(group).",
      next: command("list", group))
  }

  static func noAccount(forDirectory directory: String, _ group: GroupName) -> Failure {
    Failure(
      .notFound,
      "The rule for \(quoted(directory)) names an account that is no longer in the group \(group).",
      next: "cd \(PlainText.shellWord(directory)) && tokenvault switch --here --forget")
  }

  static func ambiguousAccount(_ text: String, _ candidates: [Account]) -> Failure {
    Failure(
      .usage, "\(quoted(text)) matches \(candidates.count) accounts:" + listed(candidates),
      next: again("with one of these names"))
  }

  static func ambiguousCurrentAccount(_ candidates: [Account], _ group: GroupName) -> Failure {
    let count =
      candidates.count.counted("account") + (candidates.count == 1 ? " is" : " are")
    return Failure(
      .usage, "\(count) signed in and none was chosen:" + listed(candidates),
      next: command("switch \(choice(candidates))", group))
  }

  /// The current account has signed out; the others wait to be chosen.
  static func noLongerCurrent(_ candidates: [Account], _ group: GroupName) -> String {
    "No account of \(group) is current now. Signed in:" + listed(candidates)
      + "\nnext: " + command("switch \(choice(candidates))", group)
  }

  private static func choice(_ candidates: [Account]) -> String {
    candidates.count == 1 ? PlainText.shellWord(candidates[0].shownName) : "ACCOUNT"
  }

  static func noCurrentAccount(_ reason: EmptyReason, _ group: GroupName) -> Failure {
    Failure(
      reason.isAboutSignIn ? .signInNeeded : .notFound,
      "There is no current account: \(text(reason)).", next: next(reason, group),
      note: note(reason))
  }
}

extension EmptyReason {
  /// Whether a sign-in gives the group an account that can be used.
  fileprivate var isAboutSignIn: Bool {
    switch self {
    case .groupDoesNotExist, .noAccounts, .allSignedOut: true
    case .noneForClient, .noneMatches, .onlyInOtherGroups: false
    }
  }
}

// MARK: Why a list of accounts is empty

extension Failure {
  static func text(_ reason: EmptyReason) -> String {
    switch reason {
    case .groupDoesNotExist: "no account is signed in to the group yet"
    case .noAccounts: "the group has no accounts"
    case .allSignedOut: "every account in the group is signed out"
    case .noneForClient: "no account has tokens of this client"
    case .noneMatches: "the group has accounts, but none matches these filters"
    case .onlyInOtherGroups(let groups):
      "no account is signed in to the group yet, but these groups have files: "
        + groups.map(\.description).joined(separator: ", ")
    }
  }

  /// The account that a client has no tokens of.
  static func noTokens(of client: String) -> String {
    "No account has tokens of the client \(quoted(client))."
  }

  /// The reason as a sentence of its own.
  static func sentence(_ reason: EmptyReason) -> String {
    let text = text(reason)
    return text.prefix(1).uppercased() + text.dropFirst() + "."
  }

  static func next(_ reason: EmptyReason, _ group: GroupName) -> String {
    switch reason {
    case .groupDoesNotExist, .noAccounts: firstSignIn(group)
    case .allSignedOut: command("sign-in", group)
    case .noneForClient, .noneMatches: command("list", group)
    case .onlyInOtherGroups: "tokenvault list --all-groups"
    }
  }

  static func note(_ reason: EmptyReason) -> String? {
    switch reason {
    case .groupDoesNotExist, .noAccounts: otherProviders
    case .allSignedOut, .noneForClient, .noneMatches, .onlyInOtherGroups: nil
    }
  }
}
