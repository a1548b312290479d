import TokenVaultGroupStore
package import TokenVaultSignIn
import TokenVaultCrypto
package import TokenVaultModel

/// What a silent request comes to, from one snapshot of the group.
package enum SilentPlan: Sendable {
  /// A stored token will do.
  case serve(TokenResult)
  /// The provider has to be asked.
  case refresh(Refresh)

  /// Everything that asking takes.
  package struct Refresh: Sendable {
    package let account: Account
    /// The account's row, and the byte that is locked for it.
    let tag: [UInt8]
    package let clientID: String
    package let authority: Authority
    let scopes: ScopeSet
    let realm: String
    /// The refresh tokens in the order of trying.
    let tokens: [Redacted<String>]
    /// Served when the provider gives nothing new.
    let fallback: TokenResult?
    /// The access tokens that fitted the request when it was read.
    let known: Set<AccountRecord.StoredCredential>
    /// Until when nothing is to be sent; nil for no such wish.
    let throttle: AccountRecord.ThrottleEntry?
    /// Why there is no stored token; what is thrown when nobody can be asked.
    let reason: InteractionReason
  }
}
