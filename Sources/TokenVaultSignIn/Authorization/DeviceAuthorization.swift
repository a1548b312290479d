package import TokenVaultCrypto
package import TokenVaultModel

/// What the user has to do on another device (RFC 8628 section 3.2).
public struct DeviceCode: Hashable, Sendable {
  /// The code that the user types.
  public let userCode: String
  /// Where it is typed.
  public let verificationURI: String
  /// The same with the code in it, for a QR code; nil where the provider has none.
  public let verificationURIComplete: String?
  /// For how many seconds the code is good.
  public let expiresIn: Int64
}

/// The provider's answer to a device (RFC 8628 section 3.2), with the secret half.
package struct DeviceAuthorization: Sendable {
  package let code: DeviceCode
  package let deviceCode: Redacted<String>
  /// Seconds between two questions.
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
    // Version 1 endpoints and some others say `verification_url`.
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

/// When to ask again, and when to stop (RFC 8628 section 3.5).
package struct DevicePolling: Sendable {
  package enum Action: Sendable {
    /// Ask after so many seconds.
    case ask(afterSeconds: Int64)
    case finished(TokenResponse)
    case failed(SignInError)
  }

  private var interval: Int64
  /// Seconds of the code's life that are left.
  private var left: Int64

  package init(_ device: DeviceAuthorization) {
    interval = device.interval
    left = device.code.expiresIn
  }

  /// What to do first.
  package mutating func begin() -> Action { later() }

  /// What to do after an answer.
  package mutating func next(
    _ answer: Result<HTTPResponse, SignInError>
  ) -> Action {
    do {
      return .finished(try TokenResponse(try answer.get()))
    } catch {
      switch error {
      case .provider(let error) where error.code == "authorization_pending": break
      case .provider(let error) where error.code == "slow_down": interval += 5
      // A connection that timed out is asked less often.
      case .transport(.timedOut): interval *= 2
      case .provider(let error) where error.code == "expired_token":
        return .failed(.deviceCodeExpired)
      case .provider(let error)
      where ["access_denied", "authorization_declined"].contains(error.code):
        return .failed(.userCancelled)
      default: return .failed(error)
      }
      return later()
    }
  }

  private mutating func later() -> Action {
    guard left > interval else { return .failed(.deviceCodeExpired) }
    left -= interval
    return .ask(afterSeconds: interval)
  }
}
