/// The identity of an account: its home account id, its environment and, at an OpenID Connect
/// provider other than Microsoft, its issuer.
///
/// Two spellings of a Microsoft account id are one identity, under every alias of the cloud. A
/// subject of another provider keeps its case, and is unique only within its issuer (OIDC Core
/// section 2). Tokens that came without an account are distinguished by `orphanClient`.
public struct AccountIdentity: Hashable, Sendable {
  /// The home account id in the form in which ids are compared.
  public let homeAccountID: String
  /// The canonical environment.
  public let environment: String
  /// The client id whose tokens came without an account; empty otherwise.
  public let orphanClient: String
  /// The issuer, without a trailing slash; empty for Microsoft's providers, and for an account whose
  /// issuer was not known when it was stored.
  package let issuer: String

  /// The identity of an account of `authorityType` with this home account id at a host.
  package init(
    homeAccountID: HomeAccountID, environment: String, authorityType: AuthorityType,
    orphanClient: String = "", issuer: String = ""
  ) {
    let id = homeAccountID.identifier
    self.homeAccountID = authorityType.hasCaseSensitiveSubjects ? id : CaseFolding.key(id)
    self.environment = CloudEnvironment.canonical(environment)
    self.orphanClient = id.isEmpty ? orphanClient.lowercased() : ""
    self.issuer = authorityType == .oidc && !id.isEmpty ? Self.bare(issuer) : ""
  }

  private init(_ identity: AccountIdentity, issuer: String) {
    homeAccountID = identity.homeAccountID
    environment = identity.environment
    orphanClient = identity.orphanClient
    self.issuer = Self.bare(issuer)
  }

  /// The identity of the same account at this issuer.
  package func with(issuer: String) -> AccountIdentity {
    AccountIdentity(self, issuer: issuer)
  }

  /// The identity under which an account whose issuer is not known is stored.
  package var withoutIssuer: AccountIdentity { with(issuer: "") }

  /// An issuer in the form in which issuers are compared. The provider decides about the trailing
  /// slash.
  package static func bare(_ issuer: String) -> String {
    issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
  }
}
