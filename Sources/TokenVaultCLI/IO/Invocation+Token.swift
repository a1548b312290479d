package import TokenVault
import TokenVaultModel
import TokenVaultSignIn

extension Invocation {
  /// Prints a token, as it is or in JSON.
  package func answer(token result: TokenResult) throws(CommandError) {
    let secret = result.accessToken.reveal()
    guard options.isJSON else {
      // An imported cache or a service may provide anything as a token.
      if answersToTerminal {
        let text = String(decoding: secret, as: UTF8.self)
        guard PlainText.escaped(text) == text else { throw .secretNotPrintable }
      }
      return try answer(secret + [UInt8(ascii: "\n")])
    }
    // JSON is text (RFC 8259 section 8.1), and a secret may be any bytes.
    guard let text = String(validating: secret, as: UTF8.self) else { throw .secretNotText }
    try answerJSON { writer in
      writer.object { writer in
        writer.field("accessToken", text)
        writer.field("tokenType", result.tokenType)
        writer.key("expiresOn")
        if let end = result.expiresOn { writer.string(end.iso8601) } else { writer.null() }
        writer.field("scopes", result.scopes.scopes)
        writer.key("account")
        result.account.write(to: &writer)
        writer.field("authority", result.authority)
        writer.field("fromCache", result.isFromCache)
      }
    }
  }
}
