public import TokenVaultGroupStore
public import TokenVaultKeyCustody
public import TokenVaultSignIn
public import TokenVaultModel

/// Everything that can go wrong between a tool and its accounts. No case carries a secret.
public enum VaultError: Error, Sendable {
  /// Neither HOME nor the directories of the XDG specification are set to absolute paths.
  case homeNotSet
  /// The group has no file yet; reading never makes one.
  case noGroup(GroupName)
  /// The group has a file already.
  case groupExists(GroupName)
  /// No manifest describes the group.
  case noManifest(GroupName)
  /// A manifest, rule or configuration file cannot be used.
  case badManifest(path: String, fault: ManifestFault)
  /// The executable is not among the group's members.
  case notAMember(executable: String, group: GroupName)
  /// No account of the group answers to the text.
  case noAccount(String, group: GroupName)
  /// The rule of a directory names an account that the group does not have any more.
  case noAccountForDirectory(String, group: GroupName)
  /// Several accounts answer to the text.
  case ambiguousAccount(String, candidates: [Account])
  /// Several accounts are signed in and none was chosen; the client's principal is unchanged.
  case ambiguousCurrentAccount(candidates: [Account], group: GroupName)
  /// There is no account to use.
  case noCurrentAccount(EmptyReason, group: GroupName)
  /// No stored token will do: the user has to sign in.
  case interactionRequired(InteractionReason, account: Account, group: GroupName)
  /// The request names no scope, and the account has tokens for several.
  case scopesRequired(stored: [String], account: Account)
  /// A shared device has exactly one account, and this is it.
  case sharedDeviceOccupied(by: Account)
  /// A shared device takes one account, and more were given.
  case sharedDeviceTakesOne(given: Int)
  /// Another account has the alias.
  case aliasTaken(String, by: Account)
  /// A name, service or value has a form that is not stored.
  case invalid(Field)
  /// The group file is older than the keyring's key: a copy from before a sign-out.
  case olderFile(GroupName, generation: UInt64, newest: UInt64)
  /// A backup is of another group than the one it should replace.
  case foreignBackup(GroupName)
  /// The group file could not be read or written.
  case store(StoreError, group: GroupName)
  /// The group's key could not be had.
  case custody(CustodyError, group: GroupName)
  /// An imported cache is not one.
  case cache(MSALCacheError)
  /// The key file of a new custody could not be created.
  case keyFileNotCreated(path: String, errno: Int32)
  /// A file of the user's could not be read or written.
  case file(path: String, call: String, errno: Int32)
  /// The client that should sign in or refresh is not told, and the account has several.
  case clientRequired(stored: [String], account: Account)
  /// Another account has the same subject at the same host, and comes from another issuer.
  case accountOfOtherIssuer(group: GroupName)
  /// Signing in, refreshing or signing out at the provider failed.
  case signIn(SignInError)
  /// What asks for passphrases (``VaultConfiguration/passphrase``) threw this.
  case prompt(any Error)
  /// An error that no module of the vault throws; `type` names it.
  case unexpected(type: String)

  /// A part of a request.
  public enum Field: String, Sendable {
    case alias, service, username, secret, passphrase, directory
    case recoveryCode = "recovery code"
  }
}

/// What is wrong with a manifest or configuration file.
public enum ManifestFault: Equatable, Sendable {
  /// It is not JSON, or not an object.
  case notJSON
  /// It has a field that no version knows.
  case unknownField(String)
  /// A field is missing.
  case missingField(String)
  /// A field has a value that is not allowed.
  case badValue(String)
  /// Its name is not the file's name.
  case nameMismatch
  /// It is not the user's or root's own, or others may write it.
  case unsafe
  /// It has more than 64 KiB.
  case tooLarge
}

/// Why an enumeration gave no account.
public enum EmptyReason: Equatable, Sendable {
  /// The group has no file on this machine.
  case groupDoesNotExist
  /// The group holds no account.
  case noAccounts
  /// Accounts are there, and none is signed in.
  case allSignedOut
  /// The client is signed in to none of the accounts; other clients of the group are.
  case noneForClient
  /// Accounts are there, but none fulfils the query.
  case noneMatches
  /// Other groups on this machine hold accounts.
  case onlyInOtherGroups([GroupName])
}

/// Why a token cannot be had without the user.
public enum InteractionReason: Equatable, Sendable {
  /// No access token for the scopes is stored.
  case noToken
  /// The stored access token ended, or ends too soon.
  case expired(Timestamp?)
  /// The client was signed out of the account.
  case signedOut
  /// The caller asked for a new token (`--force-refresh`, `--claims`).
  case newTokenRequested
  /// A token is stored for other tenants only.
  case otherTenant([String])
  /// The provider wants the user: what it said.
  case refused(OAuthError)
  /// It is not known who signed the account in, so nobody can be asked.
  case unknownAuthority
}

extension InteractionReason {
  /// What the provider wants to see in the next token: for ``InteractiveRequest/claims``. Nil where
  /// it asked for nothing in particular.
  public var claims: ClaimsRequest? {
    guard case .refused(let answer) = self, !answer.claims.isEmpty else { return nil }
    // absent is an answer: what is no claims request cannot be asked for.
    do { return try ClaimsRequest(json: answer.claims) } catch { return nil }
  }
}

extension InteractionReason: CustomStringConvertible {
  /// The case without the tenants' names.
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
  /// The case and what of it names no person, for logs. The command line has the text for people.
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
    case .aliasTaken: "aliasTaken"
    case .invalid(let field): "invalid(\(field.rawValue))"
    case .olderFile(let group, let generation, let newest):
      "olderFile(\(group), generation \(generation) of \(newest))"
    case .foreignBackup(let group): "foreignBackup(\(group))"
    case .store(let error, let group): "store(\(error), \(group))"
    case .custody(let error, let group): "custody(\(error), \(group))"
    case .cache(let error): "cache(\(error))"
    case .keyFileNotCreated(let path, let errno): "keyFileNotCreated(\(path), errno \(errno))"
    case .file(let path, let call, let errno): "file(\(path), \(call), errno \(errno))"
    case .clientRequired(let stored, _): "clientRequired(\(stored.count) stored)"
    case .accountOfOtherIssuer(let group): "accountOfOtherIssuer(\(group))"
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

/// Turns the errors of the rooms below into the vault's own.
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
