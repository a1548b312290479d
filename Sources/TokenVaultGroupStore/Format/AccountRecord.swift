package import TokenVaultModel

/// Everything that a group stores about one account except its secrets, in one sealed row. Each
/// secret is in a separate row, which a listing never opens.
package struct AccountRecord: Hashable, Sendable {
  /// The account in one tenant: an "Account" entity of the MSAL cache.
  package struct Profile: Hashable, Sendable {
    package var tenantID: String
    package var localAccountID: String
    package var username: String
    package var environment: String
    /// The claims of the tenant's ID token, a JSON object; empty for none.
    package var claimsJSON: [UInt8]
    /// The entity's further fields, a JSON object; empty for none.
    package var extraJSON: [UInt8]

    package init(
      tenantID: String, localAccountID: String, username: String, environment: String,
      claimsJSON: [UInt8] = [], extraJSON: [UInt8] = []
    ) {
      self.tenantID = tenantID
      self.localAccountID = localAccountID
      self.username = username
      self.environment = environment
      self.claimsJSON = claimsJSON
      self.extraJSON = extraJSON
    }
  }

  /// Whether a client was last signed in or signed out (MSAL's account metadata).
  package enum SignInState: UInt8, Sendable {
    case signedIn = 1
    /// A tombstone left by the sign-out of a single client. It takes precedence over any stored
    /// token.
    case signedOut = 2
  }

  /// A request that must not be sent again before a certain time.
  package struct ThrottleEntry: Hashable, Sendable {
    /// A digest of the request.
    package var request: [UInt8]
    package var until: Timestamp
    /// The provider's error code.
    package var code: String
    /// The user interaction that the provider requires; empty if the provider only limits the rate
    /// of requests.
    package var suberror: String

    package init(request: [UInt8], until: Timestamp, code: String, suberror: String) {
      self.request = request
      self.until = until
      self.code = code
      self.suberror = suberror
    }
  }

  /// The server that issued a refresh token. The token is sent to no other one.
  package struct Issuer: Hashable, Sendable {
    /// Scheme, host and port; one text for all hosts of one Microsoft cloud.
    package let origin: String
    /// The issuer that the server's discovery document names; empty if it is not known, and for
    /// Microsoft Entra, where it differs between the tenants that accept one token.
    package let name: String

    package init(origin: String, name: String) {
      self.origin = origin
      self.name = name
    }
  }

  /// A credential and the location of its secret.
  package struct StoredCredential: Hashable, Sendable {
    package var credential: Credential
    /// The server that issued a refresh token, or an imported access token that another server issued
    /// than the one of the sign-in; nil for other credentials, and for records of versions 1 and 2.
    package var issuer: Issuer?
    /// The row of the secret.
    var row: Int64
    /// The GCM tag of that row. It distinguishes the row from its older versions.
    var seal: [UInt8]
  }

  package let homeAccountID: String
  package let environment: String
  package let authorityType: AuthorityType
  /// The client id of tokens that belong to no account; otherwise empty.
  package let orphanClient: String
  /// The issuer of an account of an OpenID Connect provider other than Microsoft, without a trailing
  /// slash; empty for all others, and for records of versions 1 to 3.
  package internal(set) var issuer: String
  package var alias = ""
  package var profiles: [Profile] = []
  /// The sign-in state of each client, by folded client id.
  package var clients: [String: SignInState] = [:]
  /// The account's credentials, without their secrets.
  package internal(set) var stored: [StoredCredential] = []
  /// The authority that signed in each client, by folded client id.
  package var authorities: [String: String] = [:]
  /// The requests that providers asked not to repeat for a while.
  package var throttleEntries: [ThrottleEntry] = []

  package init(
    homeAccountID: String, environment: String, authorityType: AuthorityType,
    orphanClient: String = "", issuer: String = ""
  ) {
    self.homeAccountID = homeAccountID
    self.environment = environment
    self.authorityType = authorityType
    self.orphanClient = orphanClient
    self.issuer = authorityType == .oidc ? AccountIdentity.bare(issuer) : ""
  }

  /// Records the issuers of the refresh tokens that have none yet.
  package mutating func bindRefreshTokens(_ issuer: (StoredCredential) -> Issuer) {
    for index in stored.indices
    where stored[index].credential.kind == .refreshToken && stored[index].issuer == nil {
      stored[index].issuer = issuer(stored[index])
    }
  }

  package var identity: AccountIdentity {
    AccountIdentity(
      homeAccountID: HomeAccountID(homeAccountID), environment: environment,
      authorityType: authorityType, orphanClient: orphanClient, issuer: issuer)
  }

  /// The username in the home tenant, otherwise the first username in any tenant.
  package var username: String {
    guard profiles.count > 1 else { return profiles.first?.username ?? "" }
    let home = HomeAccountID(homeAccountID)
    let tenant = home.tenantID
    let inHome = profiles.first {
      CaseFolding.equal(home.tenant(ofRealm: $0.tenantID), tenant) && !$0.username.isEmpty
    }
    return (inHome ?? profiles.first { !$0.username.isEmpty })?.username ?? ""
  }

  /// The distinct names that select the account, folded: alias, home account id and usernames.
  package var names: Set<[UInt8]> {
    var names: Set<[UInt8]> = []
    for name in [alias, homeAccountID] + profiles.map(\.username) where !name.isEmpty {
      names.insert(CaseFolding.fold(name))
    }
    return names
  }
}
