public import TokenVaultCrypto
public import TokenVaultModel

/// One MSAL unified token cache: accounts, tokens and application metadata, as MSAL Python, Azure
/// CLI, MSAL Go, Java, .NET and JS keep them in a file.
///
/// The keys of a file differ between those libraries and are never used to find anything. What is
/// not known, members, fields and types of credentials, comes back out as it went in.
public struct MSALCache: Hashable, Sendable {
  /// The largest file that is read: 64 MiB.
  public static let fileLimit = 64 << 20
  /// The largest secret: 1 MiB.
  public static let secretLimit = 1 << 20
  /// The longest name (client id, user name, scopes, …): 64 KiB.
  public static let nameLimit = 64 << 10

  /// The `Account` entities: one for each account and tenant.
  public var profiles: [Profile]
  /// The tokens of all kinds.
  public var tokens: [Token]
  /// The `AppMetadata` entities.
  public var apps: [App]
  /// The members that are not known.
  public var unknown: [UnknownMember]

  /// A cache with the content given.
  public init(
    profiles: [Profile] = [], tokens: [Token] = [], apps: [App] = [],
    unknown: [UnknownMember] = []
  ) {
    self.profiles = profiles
    self.tokens = tokens
    self.apps = apps
    self.unknown = unknown
  }

  /// An account in one tenant: an `Account` entity.
  public struct Profile: Hashable, Sendable {
    /// The home account id; empty where the file has none.
    public var homeAccountID: String
    /// The host, lower case.
    public var environment: String
    /// The tenant.
    public var realm: String
    /// `oid`, else `sub`, in that tenant.
    public var localAccountID: String
    /// The name in that tenant; may be empty.
    public var username: String
    /// `authority_type` as stored; may be empty.
    public var authorityType: String
    /// Every other field as one JSON object; empty for none.
    public var extraJSON: [UInt8]

    /// A profile with every field given.
    public init(
      homeAccountID: String, environment: String, realm: String, localAccountID: String,
      username: String, authorityType: String, extraJSON: [UInt8] = []
    ) {
      self.homeAccountID = homeAccountID
      self.environment = environment
      self.realm = realm
      self.localAccountID = localAccountID
      self.username = username
      self.authorityType = authorityType
      self.extraJSON = extraJSON
    }
  }

  /// A token of any kind.
  ///
  /// A credential of a type that is not known, or of one that must not be served as an ordinary
  /// access token, is of the kind `other`. Its `credential` then is only what is needed to find and
  /// to erase it; the entity itself stands in `extraJSON`, as
  /// `{"entity": fields without the secret, "key": …, "member": …}`.
  public struct Token: Hashable, Sendable {
    /// Everything but the secret.
    public var credential: Credential
    /// The account it belongs to; empty where the file names none.
    public var homeAccountID: String
    /// The token itself; empty only in a credential of an unknown type.
    public var secret: Redacted<String>
    /// Every other field as one JSON object; empty for none.
    public var extraJSON: [UInt8]

    /// A token with every field given.
    public init(
      credential: Credential, homeAccountID: String, secret: Redacted<String>,
      extraJSON: [UInt8] = []
    ) {
      self.credential = credential
      self.homeAccountID = homeAccountID
      self.secret = secret
      self.extraJSON = extraJSON
    }
  }

  /// What is known of a client: an `AppMetadata` entity.
  public struct App: Hashable, Sendable {
    /// The client.
    public var clientID: String
    /// The host, lower case.
    public var environment: String
    /// "1" for a client of the Microsoft family; empty for one that is known not to be.
    public var familyID: String
    /// Every other field as one JSON object; empty for none.
    public var extraJSON: [UInt8]

    /// Metadata with every field given.
    public init(clientID: String, environment: String, familyID: String, extraJSON: [UInt8] = []) {
      self.clientID = clientID
      self.environment = environment
      self.familyID = familyID
      self.extraJSON = extraJSON
    }
  }

  /// A member of the file that is not known. Entities in it that name an account are not here but
  /// among the tokens, as far as its form allows to take them out.
  public struct UnknownMember: Hashable, Sendable {
    /// Its name.
    public var name: String
    /// Its value.
    public var json: [UInt8]
    /// The accounts that something in it still names; whoever erases one of them drops the member.
    public var homeAccountIDs: Set<String>

    /// A member; the accounts are looked up in `json`, and none are found in what is not JSON.
    public init(name: String, json: [UInt8]) {
      let value: JSONValue?
      do { value = try JSONValue(parsing: json) } catch { value = nil }
      self.init(name: name, json: json, homeAccountIDs: value?.homeAccountIDs ?? [])
    }

    init(name: String, json: [UInt8], homeAccountIDs: Set<String>) {
      self.name = name
      self.json = json
      self.homeAccountIDs = homeAccountIDs
    }
  }
}

extension JSONValue {
  /// Every text that stands under the name `home_account_id`, however deep.
  var homeAccountIDs: Set<String> {
    switch self {
    case .null, .bool, .number, .string: []
    case .array(let elements): elements.reduce(into: []) { $0.formUnion($1.homeAccountIDs) }
    case .object(let members):
      members.reduce(into: []) { found, member in
        if member.name == MSALCacheError.Field.homeAccountID.rawValue, let id = member.value.text {
          found.insert(id)
        }
        found.formUnion(member.value.homeAccountIDs)
      }
    }
  }
}
