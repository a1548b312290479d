package import TokenVaultCrypto
package import TokenVaultModel

/// An MSAL unified token cache: accounts, tokens and application metadata, as MSAL Python, Azure
/// CLI, MSAL Go, Java, .NET and JS store them in a file.
///
/// The keys of a file differ between those libraries and are never used to find an entity. Unknown
/// members, fields and types of credentials, and entities that cannot be read, are written back as
/// they were read.
public struct MSALCache: Hashable, Sendable {
  /// The size of the largest file that is read: 64 MiB.
  public static let fileLimit = 64 << 20
  /// The size of the largest secret: 1 MiB.
  public static let secretLimit = 1 << 20
  /// The size of the longest name (client id, user name, scopes, …): 64 KiB.
  public static let nameLimit = 64 << 10

  /// The `Account` entities: one for each account and tenant.
  package var profiles: [Profile]
  /// The tokens of all types.
  package var tokens: [Token]
  /// The `AppMetadata` entities.
  package var apps: [App]
  /// The unknown members.
  package var unknown: [UnknownMember]

  /// A cache with the given content.
  package init(
    profiles: [Profile] = [], tokens: [Token] = [], apps: [App] = [],
    unknown: [UnknownMember] = []
  ) {
    self.profiles = profiles
    self.tokens = tokens
    self.apps = apps
    self.unknown = unknown
  }

  /// An account in one tenant: an `Account` entity.
  package struct Profile: Hashable, Sendable {
    /// The home account id; empty if the file has none.
    package var homeAccountID: String
    /// The host, in lower case.
    package var environment: String
    /// The tenant.
    package var realm: String
    /// The `oid`, otherwise the `sub`, in that tenant.
    package var localAccountID: String
    /// The user name in that tenant; may be empty.
    package var username: String
    /// `authority_type` as stored; may be empty.
    package var authorityType: String
    /// All other fields as one JSON object; empty for none.
    package var extraJSON: [UInt8]
    /// The issuer of an account whose provider has no ID tokens; empty for all others.
    package var issuer = ""

    /// A profile with the given fields.
    package init(
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

  /// A token of any type.
  ///
  /// A credential of an unknown type or form, or of a type that must not be served as an ordinary
  /// access token, has the kind `other`. Its `credential` then contains only the fields needed to
  /// find and erase it; the entity itself is in `extraJSON`, as `{"entity": fields without the
  /// secret, "key": …, "member": …}`.
  package struct Token: Hashable, Sendable {
    /// All properties except the secret.
    package var credential: Credential
    /// The account that the token belongs to; empty if the file names none.
    package var homeAccountID: String
    /// The token itself; empty only in a credential of an unknown type.
    package var secret: Redacted<String>
    /// All other fields as one JSON object; empty for none.
    package var extraJSON: [UInt8]
    /// The issuer of a token of a provider without ID tokens; empty for all others.
    package var issuer = ""

    /// A token with the given fields.
    package init(
      credential: Credential, homeAccountID: String, secret: Redacted<String>,
      extraJSON: [UInt8] = []
    ) {
      self.credential = credential
      self.homeAccountID = homeAccountID
      self.secret = secret
      self.extraJSON = extraJSON
    }
  }

  /// The metadata of a client: an `AppMetadata` entity.
  package struct App: Hashable, Sendable {
    /// The client id.
    package var clientID: String
    /// The host, in lower case.
    package var environment: String
    /// "1" for a client of the Microsoft family; empty for a client that is known not to belong to
    /// it.
    package var familyID: String
    /// All other fields as one JSON object; empty for none.
    package var extraJSON: [UInt8]

    /// Metadata with the given fields.
    package init(clientID: String, environment: String, familyID: String, extraJSON: [UInt8] = []) {
      self.clientID = clientID
      self.environment = environment
      self.familyID = familyID
      self.extraJSON = extraJSON
    }
  }

  /// An unknown member of the file, or the entities of a known member that cannot be read. Entities
  /// that name an account are among the tokens instead, as far as the member's form allows them to
  /// be taken out.
  package struct UnknownMember: Hashable, Sendable {
    /// The member's name.
    package var name: String
    /// The member's value, as JSON.
    package var json: [UInt8]
    /// The accounts that are still named in the member. Erasing one of them removes an unknown
    /// member.
    package var homeAccountIDs: Set<String>

    /// A member. Its accounts are taken from `json`; text that is not JSON names none.
    package init(name: String, json: [UInt8]) {
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
  /// Every string under the name `home_account_id`, at any depth.
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
