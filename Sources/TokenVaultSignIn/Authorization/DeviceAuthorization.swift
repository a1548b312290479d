package import TokenVaultCrypto
package import TokenVaultModel

/// A device authorization response (RFC 8628 section 3.2), with its secret part.
package struct DeviceAuthorization: Sendable {
  package let code: DeviceCode
  package let deviceCode: Redacted<String>
  /// Seconds between two polls.
  package let interval: Int64

  package init(_ object: JSONValue) throws(SignInError) {
    func text(_ names: String...) throws(SignInError) -> String? {
      guard let value = names.lazy.compactMap({ object[$0] }).first(where: { $0 != .null }) else {
        return nil
      }
      guard let text = value.text, !text.isEmpty, text.utf8.count <= 8192,
        text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f })
      else { throw .badAnswer(.field(names[0])) }
      return text
    }
    func seconds(_ name: String) throws(SignInError) -> Int64? {
      switch object[name] {
      case nil, .null?: return nil
      case .number(let literal)?, .string(let literal)?:
        guard let number = Int64(literal), (1...86_400).contains(number) else {
          throw .badAnswer(.field(name))
        }
        return number
      default: throw .badAnswer(.field(name))
      }
    }
    guard let deviceCode = try text("device_code") else { throw .badAnswer(.field("device_code")) }
    guard let userCode = try text("user_code") else { throw .badAnswer(.field("user_code")) }
    // Microsoft's version 1 endpoints and some other providers call it `verification_url`.
    guard let address = try text("verification_uri", "verification_url"),
      HTTPURL(address)?.isConfidential == true
    else { throw .badAnswer(.field("verification_uri")) }
    let complete = try text("verification_uri_complete", "verification_url_complete")
    if let complete, HTTPURL(complete)?.isConfidential != true {
      throw .badAnswer(.field("verification_uri_complete"))
    }
    guard let expiresIn = try seconds("expires_in") else { throw .badAnswer(.field("expires_in")) }
    self.deviceCode = Redacted(deviceCode)
    code = DeviceCode(
      userCode: userCode, verificationURI: address, verificationURIComplete: complete,
      expiresIn: expiresIn)
    interval = try seconds("interval") ?? 5
  }
}
