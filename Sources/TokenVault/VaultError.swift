public import TokenVaultGroupStore
public import TokenVaultKeyCustody
public import TokenVaultSignIn
public import TokenVaultModel

/// Any error between a tool and its accounts. No case carries a secret.
public enum VaultError: Error, Sendable {
  /// Neither HOME nor the directories of the XDG specification are set to absolute paths.
  case homeNotSet
  /// The group has no file yet. Reading never creates one.
  case noGroup(GroupName)
  /// The group already has a file.
  case groupExists(GroupName)
  /// No manifest describes the group.
  case noManifest(GroupName)
  /// A manifest, rule or configuration file cannot be used.
  case badManifest(path: String, fault: ManifestFault)
  /// The executable is not a member of the group.
  case notAMember(executable: String, group: GroupName)
  /// No account of the group matches the text.
  case noAccount(String, group: GroupName)
  /// The rule of a directory names an account that is no longer in the group.
  case noAccountForDirectory(String, group: GroupName)
  /// Several accounts match the text.
  case ambiguousAccount(String, candidates: [Account])
  /// Accounts are signed in and none is selected: there are several, or the selected one signed out.
  /// The account remembered for the client is unchanged.
  case ambiguousCurrentAccount(candidates: [Account], group: GroupName)
  /// There is no account to use.
  case noCurrentAccount(EmptyReason, group: GroupName)
  /// No stored token satisfies the request: the user has to sign in.
  case interactionRequired(InteractionReason, account: Account, group: GroupName)
  /// The request names no scope, and the account has tokens for several sets of scopes.
  case scopesRequired(stored: [String], account: Account)
  /// A shared device has exactly one account, and this is it.
  case sharedDeviceOccupied(by: Account)
  /// A shared device has room for one account, and the call would store more.
  case sharedDeviceTakesOne(given: Int)
  /// No account is signed in on this shared device, and a sign-in with a device code cannot require that
  /// the next person enters the password. Sign in through the browser.
  case sharedDeviceRequiresBrowser(group: GroupName)
  /// Another account has the alias.
  case aliasTaken(String, by: Account)
  /// A name, service or value has a form that cannot be stored.
  case invalid(Field)
  /// The group file is older than the key in the keyring: it is a copy from before a sign-out.
  case olderFile(GroupName, generation: UInt64, newest: UInt64)
  /// The backup is not of the group that it should replace; `of` is the group that it is of, if
  /// that is known.
  case foreignBackup(GroupName, of: GroupName?)
  /// The group file could not be read or written.
  case store(StoreError, group: GroupName)
  /// The group's key could not be retrieved.
  case custody(CustodyError, group: GroupName)
  /// The imported file is not a cache, or contains a malformed entity.
  case cache(MSALCacheError)
  /// The key file of a new custody could not be created.
  case keyFileNotCreated(path: String, errno: Int32)
  /// A rekey that stays with its key file gives the file new content. This file is not one that
  /// TokenVault made for this group alone and may write, so it was left as it is.
  case keyFileNotReplaceable(path: String, group: GroupName)
  /// A file of the user could not be read or written.
  case file(path: String, call: String, errno: Int32)
  /// The cache file has no such account.
  case notInFile(path: String)
  /// Several accounts of the cache file have the name; each candidate names one of them.
  case ambiguousInFile(path: String, candidates: [String])
  /// Another program holds the lock of the cache file, or has just written it.
  case fileInUse(path: String)
  /// The request does not name the client that should sign in or refresh, and the account has
  /// several.
  case clientRequired(stored: [String], account: Account)
  /// An import names another issuer than the stored account, which has the same id at the same host.
  case accountOfOtherIssuer(Account)
  /// The account that signed in is in the group already, with a refresh token of another server at the
  /// same host. That token is kept, and the sign-in was not stored.
  case signedInElsewhere(Account, issuer: String, requested: String)
  /// The provider replaced the refresh token of an account, and the new one could not be stored
  /// because of this error. It stays in the locked memory of this process, and each later call tries
  /// to store it; if none succeeds before the process ends, the user has to sign in again.
  indirect case refreshTokenNotStored(because: VaultError, account: Account, group: GroupName)
  /// The request goes elsewhere than to the service that the stored secret is for. Nothing was sent.
  case otherService(String, requested: String)
  /// The user name or the stored secret has characters that this scheme (`Basic`, `Bearer`) cannot
  /// carry. Nothing was sent.
  case secretNotSendable(as: String)
  /// A sign-in, a refresh or a sign-out at the provider failed.
  case signIn(SignInError)
  /// The closure that reads passphrases (``VaultConfiguration/passphrase``) threw this error.
  case prompt(any Error)
  /// An error that no module of the vault throws; `type` is the name of its type.
  case unexpected(type: String)

  /// A part of a request.
  public enum Field: String, Sendable {
    case alias, service, username, secret, passphrase, directory
    case recoveryCode = "recovery code"
  }
}

/// The defect of a manifest or configuration file.
public enum ManifestFault: Equatable, Sendable {
  /// The file is not JSON: there is an error at this line and byte, both counted from 1.
  case syntax(line: Int, column: Int)
  /// The file is not a JSON object.
  case notJSON
  /// The file has an unknown field.
  case unknownField(String)
  /// A required field is missing.
  case missingField(String)
  /// A field has a value that is not allowed.
  case badValue(String)
  /// The issuer in a provider file is that of another provider.
  case issuerTaken(by: String)
  /// The name in the manifest differs from the name of its file.
  case nameMismatch
  /// The file belongs neither to the user nor to root, or other users may write it.
  case unsafe
  /// The file has more than 64 KiB.
  case tooLarge
}

/// The reason why a listing has no account.
public enum EmptyReason: Equatable, Sendable {
  /// The group has no file on this machine.
  case groupDoesNotExist
  /// The group has no accounts.
  case noAccounts
  /// The group has accounts, but none is signed in.
  case allSignedOut
  /// The client is signed in to none of the accounts; other clients of the group are.
  case noneForClient
  /// The group has accounts, but none matches the query.
  case noneMatches
  /// The group has no file on this machine, but these other groups have one.
  case onlyInOtherGroups([GroupName])
}

/// The reason why a token requires user interaction.
public enum InteractionReason: Equatable, Sendable {
  /// No access token for the scopes is stored.
  case noToken
  /// The stored access token has expired, or expires too soon.
  case expired(Timestamp?)
  /// The client was signed out of the account.
  case signedOut
  /// The caller requested a new token (`--force-refresh`, `--claims`).
  case newTokenRequested
  /// A token is stored for other tenants only.
  case otherTenant([String])
  /// The provider requires user interaction; this is its error.
  case refused(OAuthError)
  /// The authority that signed the account in is not known, so no provider can be contacted.
  case unknownAuthority
}

extension InteractionReason {
  /// The claims that the provider requires in the next token, for ``InteractiveRequest/claims``;
  /// nil if it required none.
  public var claims: ClaimsRequest? {
    guard case .refused(let answer) = self, !answer.claims.isEmpty else { return nil }
    // absent is an answer: a text that is not a claims request cannot be requested.
    do { return try ClaimsRequest(json: answer.claims) } catch { return nil }
  }
}

extension InteractionReason: CustomStringConvertible {
  /// The name of the case, without the names of tenants.
  public var description: String {
    switch self {
    case .noToken: "noToken"
    case .expired: "expired"
    case .signedOut: "signedOut"
    case .newTokenRequested: "newTokenRequested"
    case .otherTenant(let tenants): "otherTenant(\(tenants.count) tenants)"
    case .refused(let error): "refused(\(error))"
    case .unknownAuthority: "unknownAuthority"
    }
  }
}

extension VaultError: CustomStringConvertible {
  /// The name of the case and the values that identify no person, for logs. The command line has
  /// the messages for users.
  public var description: String {
    switch self {
    case .homeNotSet: "homeNotSet"
    case .noGroup(let group): "noGroup(\(group))"
    case .groupExists(let group): "groupExists(\(group))"
    case .noManifest(let group): "noManifest(\(group))"
    case .badManifest(let path, let fault): "badManifest(\(path), \(fault))"
    case .notAMember(let executable, let group): "notAMember(\(executable), \(group))"
    case .noAccount(_, let group): "noAccount(\(group))"
    case .noAccountForDirectory(_, let group): "noAccountForDirectory(\(group))"
    case .ambiguousAccount(_, let candidates): "ambiguousAccount(\(candidates.count) candidates)"
    case .ambiguousCurrentAccount(let candidates, let group):
      "ambiguousCurrentAccount(\(candidates.count) candidates, \(group))"
    case .noCurrentAccount(let reason, let group): "noCurrentAccount(\(reason), \(group))"
    case .interactionRequired(let reason, _, let group):
      "interactionRequired(\(reason), \(group))"
    case .scopesRequired(let stored, _): "scopesRequired(\(stored.count) stored)"
    case .sharedDeviceOccupied: "sharedDeviceOccupied"
    case .sharedDeviceTakesOne(let given): "sharedDeviceTakesOne(\(given) given)"
    case .sharedDeviceRequiresBrowser(let group): "sharedDeviceRequiresBrowser(\(group))"
    case .aliasTaken: "aliasTaken"
    case .invalid(let field): "invalid(\(field.rawValue))"
    case .olderFile(let group, let generation, let newest):
      "olderFile(\(group), generation \(generation) of \(newest))"
    case .foreignBackup(let group, _): "foreignBackup(\(group))"
    case .store(let error, let group): "store(\(error), \(group))"
    case .custody(let error, let group): "custody(\(error), \(group))"
    case .cache(let error): "cache(\(error))"
    case .keyFileNotCreated(let path, let errno): "keyFileNotCreated(\(path), errno \(errno))"
    case .keyFileNotReplaceable(let path, let group): "keyFileNotReplaceable(\(path), \(group))"
    case .file(let path, let call, let errno): "file(\(path), \(call), errno \(errno))"
    case .notInFile(let path): "notInFile(\(path))"
    case .ambiguousInFile(let path, let candidates):
      "ambiguousInFile(\(path), \(candidates.count) candidates)"
    case .fileInUse(let path): "fileInUse(\(path))"
    case .clientRequired(let stored, _): "clientRequired(\(stored.count) stored)"
    case .accountOfOtherIssuer(let account): "accountOfOtherIssuer(\(account.group))"
    case .signedInElsewhere(_, let issuer, let requested):
      "signedInElsewhere(\(issuer), \(requested))"
    case .refreshTokenNotStored(let cause, _, let group):
      "refreshTokenNotStored(\(cause), \(group))"
    case .otherService: "otherService"
    case .secretNotSendable(let scheme): "secretNotSendable(\(scheme))"
    case .signIn(let error): "signIn(\(error))"
    case .prompt(let error): "prompt(\(type(of: error)))"
    case .unexpected(let type): "unexpected(\(type))"
    }
  }
}

extension TokenVaultGroupStore.StoreError {
  func vaultError(_ group: GroupName) -> VaultError {
    switch self {
    case .notFound: .noGroup(group)
    case .exists: .groupExists(group)
    default: .store(self, group: group)
    }
  }
}

/// Turns the errors of the modules below into ``VaultError``.
func vaultErrors<R>(_ group: GroupName, _ body: () throws -> R) throws(VaultError) -> R {
  do {
    return try body()
  } catch let error as VaultError {
    throw error
  } catch let error as StoreError {
    throw error.vaultError(group)
  } catch let error as CustodyError {
    throw .custody(error, group: group)
  } catch let error as SignInError {
    throw .signIn(error)
  } catch let error as MSALCacheError {
    throw .cache(error)
  } catch {
    throw .unexpected(type: String(describing: type(of: error)))
  }
}
