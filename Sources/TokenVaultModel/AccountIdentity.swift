/// The identity of an account: its home account id and its environment.
///
/// Two spellings of a Microsoft account id are one identity, under every alias of the cloud. A
/// subject of another provider keeps its case (OIDC Core section 2: `sub` is case sensitive). Tokens
/// that came without an account are distinguished by `orphanClient`.
public struct AccountIdentity: Hashable, Sendable {
  /// The home account id in the form in which ids are compared.
  public let homeAccountID: String
  /// The canonical environment.
  public let environment: String
  /// The client id whose tokens came without an account; empty otherwise.
  public let orphanClient: String

  /// The identity of an account of `authorityType` with this home account id at a host.
  package init(
    homeAccountID: HomeAccountID, environment: String, authorityType: AuthorityType,
    orphanClient: String = ""
  ) {
    let id = homeAccountID.identifier
    self.homeAccountID = authorityType.hasCaseSensitiveSubjects ? id : id.lowercased()
    self.environment = CloudEnvironment.canonical(environment)
    self.orphanClient = id.isEmpty ? orphanClient.lowercased() : ""
  }
}
