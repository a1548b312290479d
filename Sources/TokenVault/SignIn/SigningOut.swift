import TokenVaultGroupStore
package import TokenVaultSignIn
import TokenVaultCrypto
import TokenVaultModel

extension SignOutReport {
  /// What a provider was told about one client of an account.
  public struct Revocation: Sendable {
    /// What came of it.
    public enum Outcome: Hashable, Sendable {
      /// The provider took the tokens back (RFC 7009).
      case revoked
      /// The provider has no way to do so: what was handed out stays valid until it ends.
      case notOffered
      /// The provider could not be asked, or refused; the tokens are gone here all the same.
      case failed(SignInError)
      /// It is not known who issued them.
      case unknownAuthority
    }

    /// The provider's host.
    public let environment: String
    /// The client.
    public let clientID: String
    /// What came of it.
    public let outcome: Outcome
  }

  /// What became of the provider's session in the browser.
  public enum BrowserSession: Hashable, Sendable {
    /// The provider's page was opened; the user may have to confirm there.
    case opened(HTTPURL)
    /// No browser was started: the user can open this page.
    case notOpened(HTTPURL)
    /// The provider has no such page.
    case notOffered(environment: String)
    /// The provider could not be asked for its page.
    case failed(environment: String, SignInError)
  }
}

/// What a sign-out does beside the erasure.
package struct SignOutOptions: Sendable {
  /// Only this client; nil for all.
  package var clientID: String?
  /// Whether the provider is told.
  package var revokes = true
  /// Whether the provider's session in the browser is ended too.
  package var endsBrowserSession = false
  /// Further parameters for the page that ends the session.
  package var extraParameters = FormParameters()

  package init() {}
}

extension Acquisition {
  /// Signs accounts out: erases them here first and for certain, then tells the providers with what
  /// was kept in memory for it. Whatever the providers do, nothing is left here.
  /// - Parameter accounts: nil for every account of the group.
  package func signOut(
    _ accounts: [String]?, _ options: SignOutOptions = SignOutOptions()
  ) throws(VaultError) -> SignOutReport {
    say(try core.erase(accounts, client: options.clientID), options)
  }

  /// Tells the providers of accounts that were erased.
  /// - Returns: the report of the erasure, with what the providers said.
  package func say(_ erased: Erased, _ options: SignOutOptions) -> SignOutReport {
    var report = erased.report
    if options.revokes {
      // Nobody waits for each account of a provider that does not answer.
      var down: [String: SignInError] = [:]
      report.revocations = erased.revocationTargets.filter { !$0.tokens.isEmpty }.map { target in
        let origin = target.authority?.address.origin ?? ""
        let outcome = down[origin].map { .failed($0) } ?? revoke(target)
        if case .failed(let error) = outcome, error.isOutage { down[origin] = error }
        return SignOutReport.Revocation(
          environment: target.environment, clientID: target.clientID, outcome: outcome)
      }
    }
    if options.endsBrowserSession {
      var pages: [SignOutReport.BrowserSession] = []
      for target in erased.revocationTargets {
        let page = endSession(target, options)
        if !pages.contains(page) { pages.append(page) }
      }
      report.browserSessions = pages
    }
    self.report(.finished)
    return report
  }

  private func endpoint(_ target: RevocationTarget) throws(SignInError) -> TokenEndpoint? {
    guard let authority = target.authority else { return nil }
    var application = ApplicationConfiguration(clientID: target.clientID, authority: authority)
    // The user waits for it, and the accounts are gone already.
    application.requestTimeoutMilliseconds = 10_000
    application.retryCount = 0
    return try endpoint(application, at: authority, correlationID: "")
  }

  private func revoke(_ target: RevocationTarget) -> SignOutReport.Revocation.Outcome {
    guard let authority = target.authority else { return .unknownAuthority }
    // Known without asking, so that a sign-out of these needs no network at all.
    if authority.isWithoutRevocation { return .notOffered }
    do {
      guard let endpoint = try endpoint(target) else { return .unknownAuthority }
      for token in target.tokens {
        guard try endpoint.revoke(token, hint: target.hint) else { return .notOffered }
      }
      return .revoked
    } catch { return .failed(error) }
  }

  private func endSession(
    _ target: RevocationTarget, _ options: SignOutOptions
  ) -> SignOutReport.BrowserSession {
    do {
      guard let endpoint = try endpoint(target),
        let page = EndSession.address(
          at: endpoint.metadata, clientID: target.clientID, username: target.username,
          extra: options.extraParameters)
      else { return .notOffered(environment: target.environment) }
      return platform.browser.open(page) ? .opened(page) : .notOpened(page)
    } catch {
      return .failed(environment: target.environment, error)
    }
  }
}

/// What telling a provider takes, of one client of an account: in memory only.
struct RevocationTarget: Sendable {
  let username: String
  let environment: String
  let clientID: String
  let authority: Authority?
  /// Refresh tokens, whose revocation ends the access tokens too; else the access tokens.
  let tokens: [Redacted<String>]
  /// RFC 7009 section 2.1.
  let hint: String
}

/// Accounts that are gone from here, and what their providers can still be told.
package struct Erased: Sendable {
  package let report: SignOutReport
  let revocationTargets: [RevocationTarget]
}

extension VaultCore {
  /// Erases accounts. The network has no part in it.
  /// - Parameters:
  ///   - accounts: nil for every account of the group.
  ///   - client: only this client's part in them; nil for all of it. On a shared device one
  ///     client's sign-out is everybody's.
  package func erase(_ accounts: [String]?, client: String?) throws(VaultError) -> Erased {
    let client = try deviceInformation().mode == .shared ? nil : client
    let revocationTargets = try revocationTargets(accounts, client)
    let report: SignOutReport
    switch (accounts, client) {
    case (let accounts?, let client?): report = try signOut(accounts, client: client)
    case (let accounts?, nil): report = try signOut(accounts)
    case (nil, let client?): report = try signOutAll(client: client)
    case (nil, nil): report = try signOutAll()
    }
    return Erased(report: report, revocationTargets: revocationTargets)
  }

  /// What has to be known of accounts before they are erased. Damage is no reason not to erase:
  /// what does not open is left out.
  func revocationTargets(_ texts: [String]?, _ client: String?) throws(VaultError)
    -> [RevocationTarget]
  {
    try read { transaction in
      var accounts: [StoredAccount] = []
      if let texts {
        for text in texts { accounts.append(try self.resolve(text, in: transaction)) }
      } else {
        _ = try transaction.forEachAccount { account throws(StoreError) in accounts.append(account)
        }
      }
      return accounts.flatMap { self.revocationTargets($0, client, transaction) }
    }
  }

  private func revocationTargets(
    _ stored: StoredAccount, _ client: String?, _ transaction: GroupTransaction
  ) -> [RevocationTarget] {
    let record = stored.record
    let entries = record.stored.filter { entry in
      let credential = entry.credential
      guard credential.kind == .refreshToken || credential.kind == .accessToken else {
        return false
      }
      return client.map { CaseFolding.equal(credential.clientID, $0) } ?? true
    }
    // A family's token stays for the other clients, and revoking an access token may take it along
    // (RFC 7009 section 2.1).
    func stays(_ entry: AccountRecord.StoredCredential) -> Bool {
      client != nil && entry.credential.kind == .refreshToken && !entry.credential.familyID.isEmpty
    }
    let keepsFamily = record.stored.contains(where: stays)
    let clients = Dictionary(grouping: entries) { CaseFolding.key($0.credential.clientID) }
    return clients.sorted { $0.key < $1.key }.map { client, entries in
      let refresh = entries.filter { $0.credential.kind == .refreshToken && !stays($0) }
      let chosen =
        !refresh.isEmpty || keepsFamily
        ? refresh : entries.filter { $0.credential.kind == .accessToken }
      return RevocationTarget(
        username: record.username, environment: record.environment,
        clientID: entries[0].credential.clientID,
        authority: knownAuthority(client, record),
        tokens: chosen.compactMap { secret(of: $0, in: stored, transaction) },
        hint: refresh.isEmpty ? "access_token" : "refresh_token")
    }
  }

  /// Nil where the text that was stored is no authority: the erasure goes on without it.
  private func knownAuthority(_ client: String, _ record: AccountRecord) -> Authority? {
    do { return try signedInBy(client, record) } catch { return nil }
  }

  /// Nil where the row does not open: the erasure goes on without it.
  private func secret(
    of entry: AccountRecord.StoredCredential, in stored: StoredAccount,
    _ transaction: GroupTransaction
  ) -> Redacted<String>? {
    do {
      let bytes = try transaction.payload(of: entry, in: stored).secret
      return Redacted(String(decoding: bytes.reveal(), as: UTF8.self))
    } catch { return nil }
  }
}
