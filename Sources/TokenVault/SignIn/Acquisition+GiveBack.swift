import TokenVaultGroupStore
import TokenVaultSignIn
import TokenVaultCrypto
import TokenVaultModel
import TokenVaultSystem

/// Tokens that are not stored are revoked (RFC 7009), so that they are useless to anyone who obtains
/// them. It is attempted once: the error that the caller reports is the reason why the token is not
/// stored.
extension Acquisition {
  /// Revokes the response to a sign-in that is not stored, unless that could end a sign-in that is:
  /// a provider may revoke everything that the user granted to the client (RFC 7009 section 2.1).
  func giveBack(_ answer: TokenResponse, _ endpoint: TokenEndpoint) {
    let isAlone = endpoint.application.revocationEndsTokenAlone
    guard isAlone || !mayBeStored(answer, endpoint) else { return }
    if let token = answer.refreshToken {
      giveBack(token, endpoint)
    } else {
      giveBack(answer.accessToken, endpoint, hint: "access_token")
    }
  }

  func giveBack(
    _ token: Redacted<String>, _ endpoint: TokenEndpoint, hint: String = "refresh_token"
  ) {
    let authority = endpoint.metadata.authority
    guard !authority.isWithoutRevocation else { return }
    var application = endpoint.application
    application.requestTimeoutMilliseconds = 10_000
    application.retryCount = 0
    // A cancelled sign-in is given back too.
    let cancellation = Cancellation()
    bestEffort("the caller reports why the token is not stored, and it expires") {
      let metadata = try directory.metadata(
        of: authority, describedBy: endpoint.metadata.provider, needing: \.revocationEndpoint,
        cancellation)
      _ = try TokenEndpoint(
        application, at: metadata, transport: platform.transport,
        correlationID: endpoint.correlationID, cancellation
      ).revoke(token, hint: hint)
    }
  }

  /// Whether the group has a sign-in of the same user, or of a user who may be the same, for this
  /// client and provider. The response is not verified, but names the user whom it is for.
  private func mayBeStored(_ answer: TokenResponse, _ endpoint: TokenEndpoint) -> Bool {
    let authority = endpoint.metadata.authority
    let named =
      authority.isMicrosoft
      ? answer.clientInfo?.homeAccountID
      : answer.idToken.flatMap { IDToken($0.reveal())?.subject }
    do {
      return try session.read { transaction in
        try session.lookup.all(in: transaction).contains { stored in
          CloudEnvironment.same(stored.record.environment, authority.environment)
            && (stored.record.knownIssuer.isEmpty
              || stored.record.knownIssuer == AccountIdentity.bare(endpoint.metadata.issuer))
            && (named.map { CaseFolding.equal($0, stored.record.homeAccountID) } ?? true)
            && stored.record.stored.contains {
              $0.credential.kind == .refreshToken
                && stored.record.issuer(of: $0).allows(authority)
                && CaseFolding.equal($0.credential.clientID, endpoint.application.clientID)
            }
        }
      }
    } catch .noGroup { return false } catch { return true }
  }
}
