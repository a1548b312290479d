import TokenVaultModel

/// The issuers that a token may have.
package enum IssuerRule: Hashable, Sendable {
  /// Exactly this issuer.
  case exactly(String)
  /// Microsoft's issuer for several tenants: a text with `{tenantid}`, which the token's own `tid`
  /// replaces.
  case template(String)
  /// One of these issuers.
  case anyOf(Set<String>)

  /// The rule for a provider whose discovery document names this issuer.
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
      // Any other text could contain a path or a host.
      guard let tenant, GUID.isValid(tenant.utf8) else { return false }
      return issuer == text.replacing(Self.placeholder, with: tenant)
    }
  }
}
