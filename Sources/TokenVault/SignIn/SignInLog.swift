import SignIn

/// What an application wants to read of its sign-ins in its log (MSAL's MSALLoggerConfig). No
/// message has a token, a code or an address of the sign-in page in it, at any level.
public struct SignInLog: Sendable {
  /// How much is told; each level tells what those before it do. For nothing, give no log.
  public enum Level: Int, Hashable, Sendable, CaseIterable, Comparable {
    /// Calls that failed.
    case error
    /// Calls that take the user.
    case warning
    /// Tokens that came, and where from.
    case info
    /// What is waited for.
    case verbose

    /// Whether the left one tells less.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// What is left out of messages.
  public enum Masking: Hashable, Sendable, CaseIterable {
    /// Secrets, people and tenants; MSAL's MaskAllPII.
    case all
    /// Secrets and people; MSAL's MaskEUIIOnly.
    case people
    /// Secrets; MSAL's MaskSecretsOnly.
    case secrets
  }

  /// How much is told.
  public var level: Level
  /// What is left out.
  public var masking: Masking
  private let write: @Sendable (Level, String) -> Void

  /// A log that is written by `write`, from any thread.
  public init(
    level: Level = .info, masking: Masking = .all,
    write: @escaping @Sendable (_ level: Level, _ message: String) -> Void
  ) {
    self.level = level
    self.masking = masking
    self.write = write
  }

  private func tell(_ level: Level, _ message: String) {
    if level <= self.level { write(level, message) }
  }

  func note(_ event: SignInEvent) {
    switch event {
    case .contacting(let host): tell(.verbose, "asking \(host)")
    case .waitingForBrowser(_, let isOpened):
      tell(.verbose, isOpened ? "waiting for the browser" : "waiting; no browser was opened")
    case .waitingForDevice: tell(.verbose, "waiting for another device")
    case .redirectReceived: tell(.verbose, "the browser brought the answer")
    case .waitingForOtherProcess: tell(.verbose, "waiting for another process's refresh")
    case .finished: tell(.verbose, "the provider is asked no more")
    }
  }

  func note(_ result: AuthenticationResult) {
    var message = "a token from the \(result.isFromCache ? "group" : "provider")"
    if !result.correlationID.isEmpty { message += ", correlation id \(result.correlationID)" }
    if masking != .all { message += ", of \(result.authority)" }
    if masking == .secrets { message += ", for \(result.account.username)" }
    tell(.info, message)
  }

  func note(_ error: VaultError) {
    // Its description names nobody.
    var (level, message) = (Level.error, "\(error)")
    var answer: OAuthError?
    switch error {
    case .interactionRequired(let reason, let account, _):
      level = .warning
      if case .refused(let refusal) = reason { answer = refusal }
      if masking == .secrets { message += ", for \(account.username)" }
    case .signIn(.provider(let refusal)): answer = refusal
    default: break
    }
    if let answer {
      if !answer.correlationID.isEmpty { message += ", correlation id \(answer.correlationID)" }
      if masking == .secrets, !answer.text.isEmpty { message += ": \(answer.text)" }
    }
    tell(level, message)
  }
}
