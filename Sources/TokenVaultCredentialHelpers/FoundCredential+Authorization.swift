import TokenVaultCrypto
import TokenVaultModel

extension FoundCredential {
  /// The secret as a bearer token; nil unless it is visible ASCII (RFC 6750 section 2.1).
  var bearerToken: String? {
    let bytes = secret.reveal()
    guard !bytes.isEmpty, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The value of the header field Authorization: a bearer token, or user name and password
  /// (RFC 7617). Nil if the secret or the user name cannot stand in it.
  var authorization: String? {
    if isBearer || username.isEmpty { return bearerToken.map { "Bearer " + $0 } }
    let password = secret.reveal()
    guard let text, !text.hasControlCharacters, !username.hasControlCharacters,
      !username.contains(":")
    else { return nil }
    return "Basic " + Base64URL.standard(Array((username + ":").utf8) + password)
  }
}
