package import TokenVaultCrypto
package import TokenVaultModel
package import TokenVaultSignIn

/// A request of a tool to the vault, in any protocol.
package enum CredentialRequest: Sendable {
  /// The credential for an address.
  case find(CredentialQuery)
  /// Stores a credential that the tool has used with success.
  case store(NewCredential)
  /// Removes a credential that the server has refused, or that the user has signed out of.
  /// The secret is the one that the tool has; nil if its protocol does not send it.
  case erase(CredentialQuery, secret: Redacted<[UInt8]>?)
  /// The addresses and user names of the credentials that were stored through this protocol.
  case list
  /// A token for an API, without an address.
  case token(TokenQuery)
}

/// The place for which a tool wants a credential.
package struct CredentialQuery: Hashable, Sendable {
  /// The address that the credential will be sent to. Only a credential that covers it is an answer.
  package var address: HTTPURL
  /// The user name that the tool or the user demands; nil for any.
  package var username: String?
  /// Whether only a credential of this very address is an answer: the addresses of docker are keys.
  package var isExact = false

  /// A query; nil for the user name if any will do.
  package init(_ address: HTTPURL, username: String? = nil) {
    self.address = address
    self.username = username
  }
}

/// A credential that a tool hands over.
package struct NewCredential: Sendable {
  package var place: CredentialQuery
  package var secret: Redacted<[UInt8]>
  /// The time at which the server ends it; nil if that is not known.
  package var expiresOn: Timestamp?
  /// The refresh token that came with it, which the tool gets back with the credential.
  package var refreshToken: Redacted<[UInt8]>?

  /// A credential for a place. The user name of the place is that of the credential; nil for a
  /// token that is sent without one.
  package init(_ place: CredentialQuery, _ secret: [UInt8]) {
    self.place = place
    self.secret = Redacted(secret)
  }
}

/// A token for an API.
package struct TokenQuery: Hashable, Sendable {
  package var scopes: [String] = []
  /// A resource in place of scopes.
  package var resource: String?
  package var tenant: String?
  /// The account that the caller names; nil for the one in force.
  package var account: String?
  /// The name of the account by which the server knows the user, where the caller names no account.
  /// Rules that forbid an account hold for it.
  package var username: String?
  package var clientID: String?
  /// The audiences that rules are compared with, beside the resource and the scopes.
  package var audiences: [String] = []
  /// The address of the server that gets the token, which rules are compared with; nil if the caller
  /// names none.
  package var address: HTTPURL?
  /// The subscription by which Azure's tools name an account and its tenant.
  package var subscription: String?
  /// A claims request, as JSON (OpenID Connect Core section 5.5).
  package var claims: String?
  /// Whether the ID token is the answer, and not the access token.
  package var needsIDToken = false

  /// A query without any condition.
  package init() {}
}
