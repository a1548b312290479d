import Testing

@testable import TokenVaultModel

@Suite(.timeLimit(.minutes(1))) struct ScopeSetTests {
  @Test func scopesAreASetThatIgnoresCase() {
    let scopes = ScopeSet(target: "  User.Read\tMail.Send user.read ")
    #expect(scopes.scopes == ["User.Read", "Mail.Send"])
    #expect(scopes.description == "User.Read Mail.Send")
    #expect(scopes == ScopeSet(["MAIL.SEND", "user.read"]))
    #expect(scopes.hashValue == ScopeSet(["MAIL.SEND", "user.read"]).hashValue)
    #expect(ScopeSet(["mail.send"]).isSubset(of: scopes))
    #expect(!scopes.isSubset(of: ScopeSet(["mail.send"])))
    #expect(scopes.intersects(ScopeSet(["x", "USER.READ"])))
    #expect(!scopes.intersects(ScopeSet(["x"])))
    #expect(ScopeSet(["", ""]).isEmpty)
    #expect(ScopeSet([]).isSubset(of: scopes))
    #expect(!ScopeSet([]).intersects(scopes))
  }

  @Test func aStringLiteralIsSplitAtSpaces() {
    let scopes: ScopeSet = "User.Read  Mail.Send user.read"
    #expect(scopes.scopes == ["User.Read", "Mail.Send"])
    let none: ScopeSet = ""
    #expect(none.isEmpty)
  }

  @Test func anArrayLiteralHasOneScopeInEachElement() {
    let scopes: ScopeSet = ["User.Read", "Mail.Send", "", "user.read"]
    #expect(scopes.scopes == ["User.Read", "Mail.Send"])
    #expect(scopes == "mail.send user.read")
    let none: ScopeSet = []
    #expect(none.isEmpty)
  }
}
