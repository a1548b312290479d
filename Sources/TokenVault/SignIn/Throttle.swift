import TokenVaultGroupStore
import TokenVaultSignIn
import TokenVaultCrypto
import TokenVaultModel

/// For how long a failed request is not sent again (the throttling of MSAL for iOS and macOS): a
/// tool in a loop must not make a provider that asks for quiet ask for more of it.
///
/// It is stored with the account, since each call of the command line is a process of its own.
enum Throttle {
  /// The code of a throttle entry that the provider took for its own sake.
  static let outage = "throttled"
  /// What a throttle entry lasts at most, in seconds.
  static let longest: Int64 = 3600

  struct Wish {
    /// Whether it is for this request alone, or for all of this client at this provider.
    let isExact: Bool
    let until: Timestamp
    let code: String
    let suberror: String
  }

  /// The throttle entry that a failed answer makes; nil for none.
  static func after(_ response: HTTPResponse, _ error: SignInError, now: Timestamp) -> Wish? {
    let named = response.header("Retry-After").flatMap { Int64($0) }.map {
      min(max($0, 1), longest)
    }
    if response.status == 429 || response.status >= 500 || named != nil {
      return Wish(
        isExact: false, until: now.advanced(by: named ?? 60), code: outage, suberror: "")
    }
    guard let answer = error.wantsUser else { return nil }
    return Wish(
      isExact: true, until: now.advanced(by: 120), code: answer.code, suberror: answer.suberror)
  }
}
