import TokenVaultCrypto
import TokenVaultModel

/// The secret of an item of git-credential-libsecret: the password, and with newer versions lines
/// behind it that carry what came with it.
struct GitSecret {
  let password: [UInt8]
  private(set) var expiresOn: Timestamp?
  private(set) var refreshToken: Redacted<[UInt8]>?
  /// The number of lines that are neither of the two.
  private(set) var others = 0

  init(_ bytes: [UInt8]) {
    var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    password = Array(lines.removeFirst())
    for line in lines where !line.isEmpty {
      let text = String(decoding: line, as: UTF8.self)
      let value = String(text.drop { $0 != "=" }.dropFirst())
      if text.hasPrefix("password_expiry_utc="), expiresOn == nil, let seconds = Int64(value) {
        expiresOn = Timestamp(epochSeconds: seconds)
      } else if text.hasPrefix("oauth_refresh_token="), refreshToken == nil, !value.isEmpty {
        refreshToken = Redacted(text: value)
      } else {
        others += 1
      }
    }
  }
}
