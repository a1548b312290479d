/// Decides when to poll for the token again, and when to stop (RFC 8628 section 3.5).
package struct DevicePolling: Sendable {
  package enum Action: Sendable {
    /// Poll after so many seconds.
    case ask(afterSeconds: Int64)
    case finished(TokenResponse)
    case failed(SignInError)
  }

  private var interval: Int64
  /// Seconds until the code expires.
  private var left: Int64

  package init(_ device: DeviceAuthorization) {
    interval = device.interval
    left = device.code.expiresIn
  }

  /// The first action.
  package mutating func begin() -> Action { later() }

  /// The action after a response.
  package mutating func next(
    _ answer: Result<HTTPResponse, SignInError>
  ) -> Action {
    do {
      return .finished(try TokenResponse(try answer.get()))
    } catch {
      switch error {
      case .provider(let error) where error.code == "authorization_pending": break
      case .provider(let error) where error.code == "slow_down": interval += 5
      // RFC 8628 section 3.5 asks for a back-off after a connection timeout.
      case .transport(.timedOut): interval *= 2
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

  private mutating func later() -> Action {
    guard left > interval else { return .failed(.deviceCodeExpired) }
    left -= interval
    return .ask(afterSeconds: interval)
  }
}
