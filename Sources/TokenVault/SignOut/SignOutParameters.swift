/// How an account is signed out (MSAL's MSALSignoutParameters).
public struct SignOutParameters: Hashable, Sendable {
  /// Whether the provider's session in the browser is ended too.
  public var signOutFromBrowser = false
  /// Whether the account goes for every tool of the group, and not just for this application.
  public var wipeAccount = false
  /// Whether every account of the group goes.
  public var wipeCacheForAllAccounts = false
  /// Whether the provider is told (RFC 7009).
  public var revokes = true
  /// Further parameters for the provider's page.
  public var extraParameters: [String: String] = [:]

  /// This application's tokens only, and not the browser's session.
  public init() {}
}
