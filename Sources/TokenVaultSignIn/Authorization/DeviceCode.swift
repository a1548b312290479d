/// The instructions for a user who signs in on another device (RFC 8628 section 3.2).
public struct DeviceCode: Hashable, Sendable {
  /// The code that the user types.
  public let userCode: String
  /// The page to type it on.
  public let verificationURI: String
  /// The same page with the code filled in, for a QR code; nil if the provider has none.
  public let verificationURIComplete: String?
  /// The code's lifetime in seconds.
  public let expiresIn: Int64
}
