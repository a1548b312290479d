import TokenVaultCrypto
import TokenVaultSignIn

/// A stored secret in requests to its service, the only place that it is sent to.
struct ServiceCall {
  private let service: ServiceURL
  private let username: String
  private let secret: Redacted<[UInt8]>
  private let form: ServiceAuthentication
  /// Whether the form is a default, so that the service may demand the other one.
  private let isDefault: Bool

  /// Nil for the token of a provider.
  /// - Parameter chosen: The form that the caller wants; nil for the one that was stored.
  /// - Throws: ``VaultError/secretNotSendable(as:)`` if the secret is a refresh token.
  init?(_ token: TokenResult, preferring chosen: ServiceAuthentication?) throws(VaultError) {
    guard token.account.authorityType == .secret else { return nil }
    guard !token.isRefreshToken else { throw .secretNotSendable(as: token.tokenType) }
    guard let service = ServiceURL(token.authority) else { throw .invalid(.service) }
    self.service = service
    username = token.account.username
    secret = token.accessToken
    let known = chosen ?? ServiceAuthentication(scheme: token.tokenType)
    form = known ?? ServiceAuthentication(suiting: token.accessToken.reveal())
    isDefault = known == nil
  }

  private init(_ call: ServiceCall, as form: ServiceAuthentication) {
    service = call.service
    username = call.username
    secret = call.secret
    self.form = form
    isDefault = false
  }

  /// The value of the Authorization field of a request.
  /// - Throws: ``VaultError/otherService(_:requested:)`` if the address is not the service's.
  func header(for address: HTTPURL) throws(VaultError) -> Redacted<String> {
    guard service.covers(address) else {
      throw .otherService(service.description, requested: address.origin)
    }
    guard let header = form.header(username: username, secret) else {
      throw .secretNotSendable(as: form.scheme)
    }
    return header
  }

  /// The same call in the form that a response demands, if this one was a default.
  func answering(_ response: HTTPResponse) -> ServiceCall? {
    let demanded = ClaimsChallenge.schemes(in: response)
    let other: ServiceAuthentication = form == .basic ? .bearer : .basic
    guard isDefault, !demanded.contains(form.rawValue), demanded.contains(other.rawValue),
      other.header(username: username, secret) != nil
    else { return nil }
    return ServiceCall(self, as: other)
  }
}
