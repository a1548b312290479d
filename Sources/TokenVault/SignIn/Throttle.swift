import TokenVaultGroupStore
import TokenVaultSignIn
import TokenVaultCrypto
import TokenVaultModel

/// The time for which a failed request is not sent again (as in MSAL for iOS and macOS): a tool in
/// a loop must not add to the load of a provider that is already rate-limiting requests.
///
/// It is stored with the account, because each call of the command line is a separate process.
enum Throttle {
  /// The code of a throttle entry that protects the provider, not one for an error that the user
  /// has to resolve.
  static let outage = "throttled"
  /// The suberror of such an entry if the provider asked to wait.
  static let asked = "asked"
  /// The longest duration of a throttle entry, in seconds.
  static let longest: Int64 = 3600

  struct Wish {
    /// Whether the entry is for this request only, or for all requests of this client to this
    /// provider.
    let isExact: Bool
    let until: Timestamp
    let code: String
    let suberror: String
  }

  /// The throttle entry that a failed response causes; nil for none.
  static func after(
    _ response: HTTPResponse, _ error: SignInError, at authority: Authority, now: Timestamp
  ) -> Wish? {
    let named = response.retryAfter(now: now).map { min(max($0, 1), longest) }
    if response.status == 429 || response.status >= 500 || named != nil {
      let isAsked = named != nil || response.status == 429
      return Wish(
        isExact: false, until: now.advanced(by: named ?? 60), code: outage,
        suberror: isAsked ? asked : "")
    }
    guard let answer = error.wantsUser(at: authority) else { return nil }
    return Wish(
      isExact: true, until: now.advanced(by: 120), code: answer.code, suberror: answer.suberror)
  }
}
