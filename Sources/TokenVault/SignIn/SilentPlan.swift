import TokenVaultGroupStore
package import TokenVaultSignIn
import TokenVaultCrypto
package import TokenVaultModel

/// The decision about a silent request, made from one snapshot of the group.
package enum SilentPlan: Sendable {
  /// Return a stored token.
  case serve(TokenResult)
  /// Send a request to the provider.
  case refresh(Refresh)

  /// A refresh token and the only server that it is sent to.
  struct RefreshToken: Sendable {
    let secret: Redacted<String>
    let issuer: AccountRecord.Issuer
  }

  /// Everything that the request to the provider needs.
  package struct Refresh: Sendable {
    package let account: Account
    /// The account's lock tag when the group was read. It determines the byte that is locked for the
    /// account, and a renewal of the group changes it; the account itself is found by its identity.
    var tag: [UInt8]
    package let clientID: String
    package let authority: Authority
    let scopes: ScopeSet
    let realm: String
    /// The refresh tokens, in the order in which they are tried.
    let tokens: [RefreshToken]
    /// The token to return if the provider issues no new one.
    let fallback: TokenResult?
    /// The digests of the access tokens that matched the request when the group was read.
    let known: Set<[UInt8]>
    /// The throttle entry that forbids sending the request now; nil for none.
    let throttle: AccountRecord.ThrottleEntry?
    /// The reason why there is no stored token; it is thrown if there is no provider to contact.
    let reason: InteractionReason
  }
}
