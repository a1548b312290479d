package import TokenVaultCrypto
import TokenVaultModel

/// The tool that handed a secret over, and the refresh token that came with it. They are sealed with
/// the secret.
package struct SecretOrigin: Sendable {
  /// The name of the protocol in which it was stored; nil for `tokenvault add`.
  package var tool: String?
  /// The refresh token that a helper of git stores with an access token (RFC 6749 section 1.5).
  package var refreshToken: Redacted<[UInt8]>?

  /// An origin; without arguments, that of a secret that the user typed.
  package init(tool: String? = nil, refreshToken: Redacted<[UInt8]>? = nil) {
    self.tool = tool
    self.refreshToken = refreshToken
  }

  /// Reads what ``json`` wrote. Other members are ignored.
  init(_ json: [UInt8]) {
    // absent is an answer: a secret of the user has no origin.
    do {
      let value = try JSONValue(parsing: json)
      tool = value["tool"]?.text
      refreshToken = value["refresh_token"]?.text.map { Redacted(Array($0.utf8)) }
    } catch { (tool, refreshToken) = (nil, nil) }
  }

  /// A JSON object; empty if nothing is known.
  var json: [UInt8] {
    var members: [JSONValue.Member] = []
    if let tool { members.append(.init("tool", .string(tool))) }
    if let refreshToken {
      members.append(
        .init("refresh_token", .string(String(decoding: refreshToken.reveal(), as: UTF8.self))))
    }
    return members.isEmpty ? [] : JSONValue.object(members).bytes
  }
}
