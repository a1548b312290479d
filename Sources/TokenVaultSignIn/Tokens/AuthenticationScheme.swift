/// The scheme that a token is sent to an API with (MSAL's authentication schemes).
public enum AuthenticationScheme: Hashable, Sendable {
  /// The token alone: any holder can use it (RFC 6750).
  case bearer
  /// The token inside a signed request, valid for this request only.
  case pop(ProofOfPossession.Request)
}
