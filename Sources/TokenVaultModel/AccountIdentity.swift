/// What makes an account this account: the home account id and the environment it lives in.
///
/// Two spellings of a Microsoft account id are one identity, whatever alias of the cloud it was
/// stored under. A subject of another provider keeps its case (OIDC Core section 2: `sub` is
/// case sensitive). Tokens that came without any account are told apart by `orphanClient`.
public struct AccountIdentity: Hashable, Sendable {
  /// The home account id in the form that is compared.
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
