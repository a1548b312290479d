import Foundation
import Testing
import TokenVault
import TokenVaultCrypto
import TokenVaultGroupStore
import TokenVaultModel
import TokenVaultSignIn
import TokenVaultTestSupport

/// A subject is unique only within its issuer (OpenID Connect Core section 2). Two providers on one
/// host, at different ports, give one subject to two people.
@Suite(.timeLimit(.minutes(5))) struct TwoIssuersTests {
  private static let user = "ada@contoso.example"

  private let bench: SignInBench
  private let other: ProviderProcess
  private var session: GroupSession { bench.vault.groupSession() }
  private var issuer: String { "\(bench.provider.url)/oidc/one" }
  private var otherIssuer: String { "\(other.url)/oidc/one" }

  init() throws {
    bench = try SignInBench()
    other = try ProviderProcess()
  }

  @discardableResult
  private func signIn(client: String = ProviderProcess.client) throws -> TokenResult {
    bench.browser.script.withLock { $0 = nil }
    return try bench.signIn(as: Self.user, bench.application("oidc/one", client: client))
  }

  @discardableResult
  private func signInElsewhere() throws -> TokenResult {
    let url = other.url
    bench.browser.script.withLock {
      $0 = { _, page in
        let back = try HandBrowser(url).signIn(at: page, as: Self.user)
        _ = try RawHTTP.send("GET", back)
      }
    }
    return try bench.signIn(
      as: Self.user,
      ApplicationConfiguration(
        clientID: ProviderProcess.client, authority: try Authority(otherIssuer)))
  }

  private func advance() throws {
    try bench.advance(by: 4000)
    try other.advanceClock(by: 4000)
  }

  /// Stores a token of another client, for which this provider would have another subject.
  private func importToken(ofClient client: String, in account: Account) throws {
    var credential = Credential(
      kind: .accessToken, clientID: client, environment: account.environment)
    credential.target = "read"
    credential.realm = try #require(account.tenantProfiles.first?.tenantID)
    credential.cachedAt = session.now
    credential.expiresOn = session.now.advanced(by: 100_000)
    try session.importCache(
      MSALCache(
        profiles: [
          .init(
            homeAccountID: account.identifier, environment: account.environment,
            realm: credential.realm, localAccountID: account.identifier, username: Self.user,
            authorityType: "MSSTS")
        ],
        tokens: [
          .init(
            credential: credential, homeAccountID: account.identifier, secret: Redacted("fake-at"))
        ]))
  }

  /// Stores the account as programs did before its identity contained the issuer.
  private func forgetIssuer() throws {
    try session.write { transaction in
      let stored = try #require(try transaction.currentAccount())
      #expect(stored.record.issuer == issuer)
      let former = try #require(try transaction.setIssuer("", of: stored))
      #expect(former.tag != stored.tag)
      let rules = AccountRules(vaultDirectory: session.configuration.directory)
      for rule in try rules.all() {
        try rules.set(.init(group: rule.group, account: former.tag, rule.conditions))
      }
    }
  }

  @Test func oneSubjectOfTwoIssuersOnOneHostIsTwoAccounts() throws {
    let first = try signIn().account
    let second = try signInElsewhere()
    #expect(!second.isSignedInAgain)
    #expect(first.identifier == second.account.identifier)
    #expect(first.environment == second.account.environment)
    #expect(first.identity != second.account.identity)
    #expect(try bench.accounts().map(\.username) == [Self.user, Self.user])

    // A text that names both lists both, and each listed text names one.
    for text in [Self.user, first.identifier, "\(first.identifier)//127.0.0.1"] {
      let error = try failure { try bench.silent(of: text) }
      guard case .ambiguousAccount(_, let candidates)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(Set(candidates.map(\.selector)) == [first.selector, second.account.selector])
    }
    #expect(first.selector == "\(first.identifier)//\(issuer)")
    for name in [first.identifier, Self.user.uppercased()] {
      #expect(try session.account(named: "\(name)//\(issuer)").identity == first.identity)
      let found = try session.account(named: "\(name)//\(otherIssuer)")
      #expect(found.identity == second.account.identity)
    }

    // Each account is renewed where it signed in, and nowhere else.
    try advance()
    #expect(try !bench.silent(of: first.selector).isFromCache)
    #expect(try other.counter("refreshRequests") == 0)
    #expect(try !bench.silent(of: second.account.selector).isFromCache)
    #expect(try other.counter("refreshRequests") == 1)
    #expect(try bench.provider.counter("refreshRequests") == 1)

    let report = try bench.signOut([first.selector])
    #expect(report.accounts.map(\.identity) == [first.identity])
    #expect(try bench.accounts().map(\.identity) == [second.account.identity])
    #expect(try bench.silent(of: Self.user).account.identity == second.account.identity)
  }

  @Test func aSharedDeviceCountsTwoIssuersAsTwoPeople() throws {
    try signIn()
    let device = session.configuration.deviceFile
    try FileManager.default.createDirectory(
      at: URL(filePath: device).deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(#"{"deviceMode":"shared"}"#.utf8).write(to: URL(filePath: device))
    let error = try failure { try signInElsewhere() }
    guard case .sharedDeviceOccupied? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try bench.accounts().count == 1)
    #expect(try signIn().isSignedInAgain)
  }

  @Test func anAccountWithoutItsIssuerWorksAndGetsItAtTheNextSignIn() throws {
    let client = "another-client"
    let before = try signIn().account
    try importToken(ofClient: client, in: before)
    try session.switchTo(Self.user)
    try session.setAlias("work", of: Self.user)
    _ = try CurrentAccountSelection(session).select(.current, in: "/some/directory")
    _ = try session.currentAccount(client: ProviderProcess.client)
    try forgetIssuer()

    // It is found by every name that it had, and by the account that a program has kept.
    let former = try session.account(named: "work")
    #expect(former.identity != before.identity && former.selector == before.selector)
    for text in [Self.user, before.selector, "\(before.identifier)//127.0.0.1"] {
      #expect(try session.account(named: text).identity == former.identity)
    }
    try advance()
    #expect(try !bench.silent(of: before.selector).isFromCache)

    // Another issuer does not get it.
    #expect(try !signInElsewhere().isSignedInAgain)
    #expect(try session.account(named: "work").identity == former.identity)
    #expect(try bench.accounts().count == 2)

    // The same issuer does, with everything that it has.
    let again = try signIn()
    #expect(again.isSignedInAgain && again.account.identity == before.identity)
    #expect(try bench.accounts().count == 2)
    let now = try session.account(named: "work")
    #expect(now.identity == before.identity && now.isCurrent)
    #expect(now.clientIDs == [ProviderProcess.client, client].sorted())
    let rules = AccountRules(vaultDirectory: session.configuration.directory)
    let rule = try #require(try rules.nearest(to: "/some/directory/below"))
    #expect(rule.accounts.count == 1)
    #expect(try session.account(.rule(rule, rules)).identity == before.identity)
    let current = try session.currentAccount(client: ProviderProcess.client)
    guard case .present(let previous)? = current.previous else {
      Issue.record("no previous account")
      return
    }
    #expect(previous.identity == before.identity)
    // The account that was read before is still found.
    #expect(try session.account(.known(former)).identity == before.identity)
    // The other client's tokens are still there.
    #expect(try bench.silent("read", of: now.selector, client: client).isFromCache)
    #expect(try session.account(.known(now)).isRefreshTokenStored)
    #expect(try session.read { try $0.verify() }.isSound)
    let report = try bench.signOut([now.selector])
    #expect(report.isClean)
    #expect(try rules.nearest(to: "/some/directory") == nil)
  }

  @Test func anAccountWithoutItsIssuerCanBeSignedOut() throws {
    try signIn()
    try session.switchTo(Self.user)
    try forgetIssuer()
    let report = try bench.signOut([try session.account(named: Self.user).selector])
    #expect(report.isClean && report.revocations.map(\.outcome) == [.revoked])
    #expect(try bench.accounts().isEmpty)
  }
}
