import Testing

@testable import TokenVaultModel

@Suite(.timeLimit(.minutes(1))) struct CredentialTests {
  private func credential(
    _ kind: Credential.Kind, client: String = "client",
    host: String = "login.microsoftonline.com", target: String = "",
    _ change: (inout Credential) -> Void = { _ in }
  ) -> Credential {
    var credential = Credential(kind: kind, clientID: client, environment: host)
    credential.target = target
    credential.realm = "tenant"
    change(&credential)
    return credential
  }

  @Test func anAccessTokenReplacesThoseWhoseScopesItShares() {
    let new = credential(.accessToken, target: "User.Read Mail.Send")
    #expect(new.replaces(credential(.accessToken, target: "mail.send")))
    #expect(new.replaces(credential(.accessToken, client: "CLIENT", target: "user.read x")))
    #expect(new.replaces(credential(.accessToken, host: "sts.windows.net", target: "user.read")))
    #expect(new.replaces(credential(.accessToken, target: "user.read") { $0.tokenType = "BEARER" }))
    #expect(!new.replaces(credential(.accessToken, target: "x")))
    #expect(credential(.accessToken).replaces(credential(.accessToken)))
    let others: [(inout Credential) -> Void] = [
      { $0.realm = "other" }, { $0.clientID = "other" }, { $0.tokenType = "pop" },
      { $0.keyID = "key" }, { $0.requestedClaims = "{}" }, { $0.userAssertionHash = "hash" },
      { $0.environment = "login.microsoftonline.us" }, { $0.kind = .idToken },
    ]
    for change in others {
      #expect(!new.replaces(credential(.accessToken, target: "User.Read", change)))
    }
  }

  @Test func aRefreshTokenReplacesTheOneOfTheSameClientAndFamily() {
    let new = credential(.refreshToken)
    #expect(new.replaces(credential(.refreshToken, target: "ignored") { $0.realm = "ignored" }))
    #expect(!new.replaces(credential(.refreshToken) { $0.familyID = "1" }))
    #expect(!new.replaces(credential(.refreshToken, client: "other")))
    #expect(!new.replaces(credential(.accessToken)))
  }

  @Test func theOtherKindsReplaceTheirOwnKind() {
    #expect(credential(.idToken).replaces(credential(.idToken, target: "x")))
    #expect(!credential(.idToken).replaces(credential(.idToken) { $0.realm = "other" }))
    #expect(credential(.secret).replaces(credential(.secret, client: "other")))
    let prt = Credential.Kind.other("PrimaryRefreshToken")
    #expect(credential(prt).replaces(credential(prt)))
    #expect(!credential(prt).replaces(credential(prt) { $0.keyID = "another entity" }))
    #expect(!credential(prt).replaces(credential(.other("else"))))
  }

  @Test func aTokenIsServedUntilTheSkewBeforeItsExpiry() {
    let token = credential(.accessToken) {
      $0.cachedAt = Timestamp(epochSeconds: 1000)
      $0.expiresOn = Timestamp(epochSeconds: 5000)
    }
    #expect(token.isValid(at: Timestamp(epochSeconds: 4699), for: 300))
    #expect(!token.isValid(at: Timestamp(epochSeconds: 4700), for: 300))
    #expect(token.isValid(at: Timestamp(epochSeconds: 4999), for: 0))
    #expect(!token.isValid(at: Timestamp(epochSeconds: 5000), for: 0))
    // Stored in the future: the clock was set back.
    #expect(token.isValid(at: Timestamp(epochSeconds: 1000), for: 300))
    #expect(!token.isValid(at: Timestamp(epochSeconds: 999), for: 300))
    #expect(!token.isValid(at: Timestamp(epochSeconds: .max), for: .max))
  }

  @Test func byDefaultAFifthOfAShortLifetimeMustRemain() {
    func isValid(lifetime: Int64, left: Int64, cached: Bool = true) -> Bool {
      let token = credential(.accessToken) {
        $0.cachedAt = cached ? Timestamp(epochSeconds: 1000) : nil
        $0.expiresOn = Timestamp(epochSeconds: 1000 + lifetime)
      }
      return token.isValid(at: Timestamp(epochSeconds: 1000 + lifetime - left), for: nil)
    }
    #expect(isValid(lifetime: 300, left: 61) && !isValid(lifetime: 300, left: 60))
    #expect(isValid(lifetime: 10, left: 3) && !isValid(lifetime: 10, left: 2))
    #expect(isValid(lifetime: 3600, left: 301) && !isValid(lifetime: 3600, left: 300))
    // The lifetime of an imported token may not be known.
    #expect(!isValid(lifetime: 300, left: 300, cached: false))
    #expect(!isValid(lifetime: .max - 1000, left: 0))
    #expect(!isValid(lifetime: 0, left: 0))
  }

  @Test func aCredentialWithoutExpiryIsServedOnlyIfItIsASecret() {
    let now = Timestamp(epochSeconds: 1000)
    #expect(!credential(.accessToken).isValid(at: now, for: 300))
    #expect(credential(.secret).isValid(at: now, for: 300))
    let expired = credential(.secret) { $0.expiresOn = Timestamp(epochSeconds: 1100) }
    #expect(!expired.isValid(at: now, for: 300))
  }
}
