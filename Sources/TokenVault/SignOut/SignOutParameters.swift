/// The parameters of a sign-out (MSAL's MSALSignoutParameters).
public struct SignOutParameters: Hashable, Sendable {
  /// Whether the provider's session in the browser is ended too; nil for a shared device only, where
  /// the next person uses the same browser.
  public var signOutFromBrowser: Bool?
  /// Whether the account is erased for every tool of the group, and not just for this application.
  public var wipeAccount = false
  /// Whether every account of the group is erased.
  public var wipeCacheForAllAccounts = false
  /// Whether the tokens are revoked at the provider (RFC 7009).
  public var revokes = true
  /// Further parameters for the provider's page that ends the session.
  public var extraParameters: [String: String] = [:]

  /// Parameters that erase and revoke this application's tokens only. An account that no other
  /// application uses is erased as a whole. They keep the session in the browser, except on a shared
  /// device.
  public init() {}
}
