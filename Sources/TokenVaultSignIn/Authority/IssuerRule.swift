/// Which issuers a token may have.
package enum IssuerRule: Hashable, Sendable {
  /// This one, to the letter.
  case exactly(String)
  /// Microsoft's for several tenants: the text with `{tenantid}` in it, filled with the token's own
  /// `tid`.
  case template(String)
  /// Any of these.
  case anyOf(Set<String>)

  /// The rule of a provider that describes itself with this issuer.
  package init(_ issuer: String) {
    self = issuer.contains(Self.placeholder) ? .template(issuer) : .exactly(issuer)
  }

  private static let placeholder = "{tenantid}"

  func allows(_ issuer: String?, tenant: String?) -> Bool {
    guard let issuer else { return false }
    switch self {
    case .exactly(let text): return issuer == text
    case .anyOf(let texts): return texts.contains(issuer)
    case .template(let text):
      // Anything else than a GUID could have a path or a host in it.
      guard let tenant, ProviderMetadata.isGUID(tenant) else { return false }
      return issuer == text.replacing(Self.placeholder, with: tenant)
    }
  }
}
