import Testing
import TokenVaultCrypto

@testable import TokenVault

@Suite(.timeLimit(.minutes(5))) struct IDTokenClaimsTests {
  private func token(_ claims: String) -> String {
    "\(Base64URL.encode(Array("{}".utf8))).\(Base64URL.encode(Array(claims.utf8))).made-up"
  }

  @Test func claimsAreReadAndTheirBytesKept() throws {
    let json = """
      { "oid":"o","sub":"s","tid":"t","preferred_username":"ada@contoso.example","upn":"u",
        "name":"Ada L\u{f6}velace","iss":"https://issuer.example","aud":"c","nonce":"n",
        "tfp":"b2c_1_signin","exp":1.70e9 }
      """
    let token = try #require(IDToken(token(json)))
    #expect(token.claimsJSON == Array(json.utf8))
    #expect(token.objectID == "o")
    #expect(token.subject == "s")
    #expect(token.tenantID == "t")
    #expect(token.username == "ada@contoso.example")
    #expect(token.upn == "u")
    #expect(token.name == "Ada L\u{f6}velace")
    #expect(token.issuer == "https://issuer.example")
    #expect(token.audience == ["c"])
    #expect(token.nonce == "n")
    #expect(token.policy == "b2c_1_signin")
    #expect(token.localAccountID == "o")
    #expect(IDToken(claimsJSON: token.claimsJSON) == token)
  }

  @Test func missingClaimsFallBackAsInMSAL() throws {
    let adfs = try #require(IDToken(token(#"{"sub":"s","upn":"u","aud":["a","b"]}"#)))
    #expect(adfs.username == "u")
    #expect(adfs.localAccountID == "s")
    #expect(adfs.audience == ["a", "b"])
    #expect(try #require(IDToken(token("{}"))).username == nil)
  }

  /// A control character could send commands to a terminal.
  @Test func claimsOfAWrongTypeOrWithControlCharactersAreIgnored() throws {
    let odd = try #require(
      IDToken(token(#"{"oid":7,"name":"a\u001b[2J","preferred_username":"","aud":{}}"#)))
    #expect(odd.objectID == nil)
    #expect(odd.name == nil)
    #expect(odd.preferredUsername == nil)
    #expect(odd.audience.isEmpty)
  }

  @Test(arguments: [
    "", ".", "..", "a.b", "a.b.c.d", "a.b.c.d.e", "e30.e3.x", "e30.!!!!.x", "e30.W10.x",
    "e30.bnVsbA.x", "e30.\u{e9}.x",
  ])
  func aMalformedTokenGivesNil(text: String) {
    #expect(IDToken(text) == nil)
  }

  /// Some issuers add it.
  @Test func paddingIsTolerated() {
    #expect(IDToken("e30.eyJhIjoxfQ==.x")?.claimsJSON == Array(#"{"a":1}"#.utf8))
  }

  @Test func clientInfoGivesTheHomeAccountID() throws {
    let info = try #require(ClientInfo(Base64URL.encode(Array(#"{"uid":"u","utid":"t"}"#.utf8))))
    #expect(info.objectID == "u")
    #expect(info.tenantID == "t")
    #expect(info.homeAccountID == "u.t")
    for text in [
      #"{"uid":"u"}"#, #"{"uid":"","utid":"t"}"#, #"{"uid":1,"utid":2}"#, "[]", "x",
      #"{"uid":"u\n","utid":"t"}"#,
    ] {
      #expect(ClientInfo(Base64URL.encode(Array(text.utf8))) == nil)
    }
    #expect(ClientInfo("{}") == nil)
  }
}
