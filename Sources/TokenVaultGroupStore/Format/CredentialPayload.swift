package import TokenVaultCrypto

/// A credential's secret, and the fields of its cache entity that the schema does not define.
package struct CredentialPayload: Sendable {
  package var secret: Redacted<[UInt8]>
  /// A JSON object; empty for none.
  package var extraJSON: [UInt8]

  package init(secret: Redacted<[UInt8]>, extraJSON: [UInt8] = []) {
    self.secret = secret
    self.extraJSON = extraJSON
  }
}
