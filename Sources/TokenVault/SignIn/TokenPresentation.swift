import TokenVaultCrypto
import TokenVaultModel
import TokenVaultSignIn

/// How a token is going to be shown, with the key where there is one.
enum TokenPresentation: Sendable {
  case bearer
  case pop(ProofOfPossession, ProofOfPossession.Request)

  var proof: ProofOfPossession? { if case .pop(let proof, _) = self { proof } else { nil } }

  var scheme: AuthenticationScheme {
    if case .pop(_, let request) = self { .pop(request) } else { .bearer }
  }

  /// The signed request that shows the token; nil for a bearer token.
  func signedHeader(
    _ token: Redacted<[UInt8]>, now: Timestamp
  ) throws(SignInError) -> Redacted<String>? {
    guard case .pop(let proof, let request) = self else { return nil }
    do {
      return try proof.authorizationHeader(Redacted(token.revealText()), for: request, now: now)
    } catch { throw .cryptography }
  }
}
