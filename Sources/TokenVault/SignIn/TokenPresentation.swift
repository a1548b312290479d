import TokenVaultCrypto
import TokenVaultModel
import TokenVaultSignIn

/// The scheme in which a token is presented, with the key if the scheme needs one.
enum TokenPresentation: Sendable {
  case bearer
  case pop(ProofOfPossession, ProofOfPossession.Request)

  var proof: ProofOfPossession? { if case .pop(let proof, _) = self { proof } else { nil } }

  var scheme: AuthenticationScheme {
    if case .pop(_, let request) = self { .pop(request) } else { .bearer }
  }

  /// The signed request that presents the token; nil for a bearer token.
  func signedHeader(
    _ token: Redacted<[UInt8]>, now: Timestamp
  ) throws(SignInError) -> Redacted<String>? {
    guard case .pop(let proof, let request) = self else { return nil }
    do {
      return try proof.authorizationHeader(Redacted(token.revealText()), for: request, now: now)
    } catch { throw .cryptography }
  }
}
