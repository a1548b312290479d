package import TokenVaultModel

/// Decides when to poll for the token again, and when to stop (RFC 8628 section 3.5).
package struct DevicePolling: Sendable {
  package enum Action: Sendable {
    /// Poll after so many seconds.
    case ask(afterSeconds: Int64)
    case finished(TokenResponse)
    case failed(SignInError)
  }

  private var interval: Int64
  /// How often in a row the provider has not answered the question.
  private var failures = 0
  /// Seconds until the code expires.
  private var left: Int64

  package init(_ device: DeviceAuthorization) {
    interval = device.interval
    left = device.code.expiresIn
  }

  /// The first action.
  package mutating func begin() -> Action { later() }

  /// The action after a response. An outage does not end the polling.
  /// - Parameters:
  ///   - answer: the response.
  ///   - elapsed: the seconds that the request took.
  ///   - now: the time, for a Retry-After field with a date.
  package mutating func next(
    _ answer: Result<HTTPResponse, SignInError>, elapsed: Int64 = 0, now: Timestamp
  ) -> Action {
    left -= elapsed
    do {
      return .finished(try TokenResponse(try answer.get()))
    } catch {
      switch error {
      case .provider(let error) where error.code == "authorization_pending": failures = 0
      case .provider(let error) where error.code == "slow_down":
        failures = 0
        interval += 5
      // A connection that breaks during the TLS handshake looks like a server without TLS. The server
      // had TLS when it issued the code.
      case .transport(.noTLS): failures += 1
      case let error where error.isOutage:
        failures += 1
        guard case .success(let response) = answer else { return later() }
        return later(wanted: response.retryAfter(now: now))
      case .provider(let error) where error.code == "expired_token":
        return .failed(.deviceCodeExpired)
      case .provider(let error)
      where ["access_denied", "authorization_declined"].contains(error.code):
        return .failed(.userCancelled)
      default: return .failed(error)
      }
      return later()
    }
  }

  /// RFC 8628 section 3.5 recommends an exponential back-off after a connection timeout. It ends at a
  /// minute, so that an outage does not use up the time that the code has left.
  private mutating func later(wanted: Int64? = nil) -> Action {
    guard left > interval else { return .failed(.deviceCodeExpired) }
    let backedOff = min(interval << min(failures, 16), max(interval, 60))
    // The last moment in which the code is valid is not skipped.
    let wait = min(max(backedOff, wanted ?? 0), left - 1)
    left -= wait
    return .ask(afterSeconds: wait)
  }
}
