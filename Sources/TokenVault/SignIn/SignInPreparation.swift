import TokenVaultGroupStore
import TokenVaultModel
import TokenVaultSignIn

/// Completes a request to sign in through the browser with what the group knows.
struct SignInPreparation {
  private let session: GroupSession
  private let endpoint: TokenEndpoint

  init(_ session: GroupSession, _ endpoint: TokenEndpoint) {
    self.session = session
    self.endpoint = endpoint
  }

  private var client: String { endpoint.application.clientID }

  /// The request with a user name to fill in, and with the prompt that fits the stored accounts.
  func prepared(_ request: InteractiveRequest) throws(VaultError) -> InteractiveRequest {
    var prepared = try named(request)
    // A page for creating an account may offer the browser's session, too; a page for the password
    // also leads to a new account.
    if try SharedDevice(session).waitsForNextPerson() {
      prepared.prompt = .login
    } else if try repeatsAccount(prepared), let picker {
      prepared.prompt = picker
    }
    return prepared
  }

  /// An account that was signed out on purpose has to enter its password again, even if the browser
  /// still has a session (MSAL for iOS and macOS), and the provider's page starts with the user name
  /// of the requested account.
  private func named(_ request: InteractiveRequest) throws(VaultError) -> InteractiveRequest {
    let name = request.account?.identifier ?? request.loginHint
    guard !name.isEmpty else { return request }
    let client = CaseFolding.key(client)
    let username: String
    let hasSignedOut: Bool
    do {
      (username, hasSignedOut) = try session.read { transaction in
        do {
          let record = try session.lookup.stored(.named(name), in: transaction).record
          return (record.username, record.clients[client] == .signedOut)
        } catch VaultError.noAccount {
          return ("", transaction.state.signedOutClients.contains(client))
        }
      }
    } catch .noGroup { return request } catch .ambiguousAccount { return request }
    var request = request
    if hasSignedOut, request.prompt != .consent { request.prompt = .login }
    if request.loginHint.isEmpty { request.loginHint = username }
    return request
  }

  /// Whether the browser's session could sign in an account that the group already has, although the
  /// request names none of them.
  private func repeatsAccount(_ request: InteractiveRequest) throws(VaultError) -> Bool {
    guard request.offersAccountPicker, request.prompt == .ifNecessary, request.account == nil else {
      return false
    }
    var isNamed = false
    let isThere = try anyAccount { record, client in
      guard record.isSignedIn(client), isHere(record) else { return false }
      isNamed = isNamed || CaseFolding.equal(record.username, request.loginHint)
      return true
    }
    return isThere && !isNamed
  }

  /// Whether the provider of this sign-in is the one that signed in the account.
  private func isHere(_ record: AccountRecord) -> Bool {
    let authority = endpoint.metadata.authority
    let known: Authority?
    // absent is an answer: an authority that cannot be read is unknown.
    do { known = try record.authority(ofClient: client) } catch { known = nil }
    return known.map(authority.isSameServer)
      ?? CloudEnvironment.same(record.environment, authority.environment)
  }

  private func anyAccount(
    _ isWanted: (AccountRecord, FamilyClient) -> Bool
  ) throws(VaultError) -> Bool {
    do {
      return try session.read { transaction in
        let client = try FamilyClient(self.client, in: transaction)
        var found = false
        _ = try transaction.forEachAccount { stored throws(StoreError) in
          if isWanted(stored.record, client) { found = true }
        }
        return found
      }
    } catch .noGroup { return false }
  }

  /// The prompt with which the user can choose another account. A provider that lists its prompts,
  /// and has no picker, may still be able to sign in anew; nil if it can do neither.
  private var picker: Prompt? {
    guard let values = endpoint.metadata.promptValues else { return .selectAccount }
    return [.selectAccount, .login].first { values.contains($0.rawValue) }
  }
}
