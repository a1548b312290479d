package import TokenVaultCrypto
package import TokenVaultModel
package import TokenVaultSignIn

/// The outcome of a request to the vault.
package enum CredentialOutcome: Sendable {
  case found(FoundCredential)
  /// The stored credentials, in the order of their addresses.
  case listed([ListedCredential])
  /// The credential was stored or removed, or there was nothing to do.
  case done
  case notFound
  /// The vault could not answer.
  case failed(CredentialFailure)
}

/// A credential for a tool.
package struct FoundCredential: Sendable {
  package var username: String
  package var secret: Redacted<[UInt8]>
  /// The time at which it ends; nil if that is not known.
  package var expiresOn: Timestamp?
  /// Whether it has ended. Git wants it nevertheless if a refresh token comes with it.
  package var isExpired = false
  /// Whether it is an access token of a provider, which the vault renews by itself.
  package var isAccessToken = false
  /// Whether the server takes it as a bearer token without a user name (RFC 6750).
  package var isBearer = false
  package var refreshToken: Redacted<[UInt8]>?
  /// The ID token of the same account; nil if there is none or it was not asked for.
  package var idToken: Redacted<[UInt8]>?
  /// The tenant of an access token of Microsoft Entra.
  package var tenantID: String?
  /// The address that the credential is stored for, which covers the one that was asked for; nil
  /// if it is not known.
  package var address: HTTPURL?

  /// A credential of a user name.
  package init(username: String, secret: [UInt8]) {
    self.username = username
    self.secret = Redacted(secret)
  }

  /// The secret as text; nil if it is not UTF-8 or has a line break or a NUL, which the text
  /// protocols would take for the end of the value.
  package var line: String? { Self.line(secret) }

  /// A secret as the value of one line, as ``line``.
  static func line(_ secret: Redacted<[UInt8]>) -> String? {
    let bytes = secret.reveal()
    guard !bytes.contains(where: { $0 == 0 || $0 == 0x0a || $0 == 0x0d }) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The secret as text; nil if it is not UTF-8, and JSON therefore cannot carry it.
  package var text: String? { String(validating: secret.reveal(), as: UTF8.self) }
}

/// The address and the user name of a stored credential.
package struct ListedCredential: Hashable, Sendable {
  package let address: String
  package let username: String

  /// A credential at an address.
  package init(address: String, username: String) {
    self.address = address
    self.username = username
  }
}

/// The reason why the vault could not answer.
package struct CredentialFailure: Hashable, Sendable {
  /// The message and the next command, without a secret.
  package let message: String
  /// Whether the user has to sign in.
  package let needsSignIn: Bool

  /// A failure with its text for people.
  package init(_ message: String, needsSignIn: Bool = false) {
    self.message = message
    self.needsSignIn = needsSignIn
  }
}
