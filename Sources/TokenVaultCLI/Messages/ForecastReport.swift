import TokenVault
import TokenVaultKeyCustody
import TokenVaultModel

/// The forecasts of accounts, the first one that is due at the top.
struct ForecastReport {
  /// The forecasts that are printed.
  let shown: [SignInForecast]
  /// Those among them that are due within the time.
  let due: [SignInForecast]
  private let now: Timestamp

  private static let usual: Int64 = 7 * 86_400

  /// - Parameter limit: The time within which the printed ones are due; nil for all, with 7 days for
  ///   those that are due.
  init(_ all: [SignInForecast], within limit: Duration?, now: Timestamp) {
    let end = now.advanced(by: limit?.seconds ?? Self.usual)
    let dated = all.filter { $0.due != nil }
      .sorted { ($0.due ?? .never, $0.account.group) < ($1.due ?? .never, $1.account.group) }
    due = dated.filter { ($0.due ?? .never) <= end }
    shown = limit == nil ? dated + all.filter { $0.due == nil } : due
    self.now = now
  }

  // MARK: Text

  func text(showsGroup: Bool) -> [UInt8] {
    let heading = ["ACCOUNT", "ENVIRONMENT", "NEEDS YOU", "WHY"] + (showsGroup ? ["GROUP"] : [])
    let rows = zip(shown, shown.map(\.account).shownPlaces).map { forecast, place in
      [
        PlainText.escaped(forecast.account.shownName), PlainText.escaped(place), time(forecast),
        reason(forecast),
      ] + (showsGroup ? [forecast.account.group.description] : [])
    }
    return TextTable([heading] + rows).text()
  }

  private func time(_ forecast: SignInForecast) -> String {
    guard let due = forecast.due else { return forecast.reason == .noExpiry ? "never" : "unknown" }
    return due <= now ? "now" : due.relative(to: now)
  }

  private func reason(_ forecast: SignInForecast) -> String {
    let isSecret = forecast.account.authorityType == .secret
    return switch forecast.reason {
    case .signedOut: "signed out"
    case .notRenewable: "nothing is stored that renews the token"
    case .refreshTokenExpires: "the refresh token expires"
    case .refreshTokenUnused:
      (forecast.due ?? .never) > now
        ? "unless it is used before" : "unused for too long; it may have ended"
    case .secretExpires: "the stored secret expires"
    case .noExpiry: "the token does not expire"
    case .unknown:
      isSecret ? "no end was given to `add`" : "the provider names no end of the refresh token"
    }
  }

  /// Nil if no account is due; otherwise it has the command for the first one.
  /// - Parameter signIn: The command that signs an account in.
  func failure(signIn: (Account) -> String) -> Failure? {
    guard let first = due.first else { return nil }
    let account = first.account
    let isSecret = account.authorityType == .secret
    let verb = first.reason == .refreshTokenUnused ? "may need" : "needs"
    let others = due.count > 1 ? " It is the first of \(due.count) accounts." : ""
    return Failure(
      .signInNeeded,
      "\(Failure.name(account)) \(verb) \(isSecret ? "another secret" : "a sign-in") "
        + "\(time(first)).\(others)",
      next: isSecret ? Failure.add(account) : signIn(account))
  }

  // MARK: JSON

  func write(to writer: inout JSONWriter) {
    writer.array(shown) { writer, forecast in
      writer.object { writer in
        writer.key("account")
        forecast.account.write(to: &writer)
        writer.key("due")
        if let due = forecast.due { writer.string(due.iso8601) } else { writer.null() }
        writer.field("reason", forecast.reason.rawValue)
      }
    }
  }

  // MARK: Notification

  private static let most = 5

  /// Nil if no account is due. It names accounts, and has no secret.
  var notification: DesktopNotification? {
    guard let first = due.first else { return nil }
    let lines = due.prefix(Self.most).map {
      "\(PlainText.escaped($0.account.shownName)): \(time($0)), \(reason($0))"
    }
    let rest = due.count - lines.count
    let name = PlainText.escaped(first.account.shownName)
    return DesktopNotification(
      summary: due.count == 1
        ? "\(name) needs you soon" : "\(due.count) accounts will soon need you",
      body: (lines + (rest > 0 ? ["and \(rest) more"] : [])).joined(separator: "\n"))
  }
}
