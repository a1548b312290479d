/// The hosts of Microsoft's services for an organization's customers: Azure AD B2C and Entra
/// External ID. Each tenant has a subdomain of its own, and no host has an alias.
///
/// To support another host, add it here and nowhere else. The list is that of MSAL
/// (`WELL_KNOWN_B2C_HOSTS` of MSAL for Python, which counts External ID among them).
package enum CustomerHost {
  private static let b2c = [".b2clogin.com", ".b2clogin.cn", ".b2clogin.us", ".b2clogin.de"]

  /// Whether the host is one of Azure AD B2C, in either case.
  package static func isB2C(_ host: String) -> Bool {
    b2c.contains { isBelow($0, host) }
  }

  /// The suffix of every host of Entra External ID.
  package static let externalID = ".ciamlogin.com"

  /// Whether the host is one of Entra External ID, in either case.
  package static func isExternalID(_ host: String) -> Bool {
    isBelow(externalID, host)
  }

  /// Compares from the end, where most hosts differ: a listing asks for each account.
  private static func isBelow(_ suffix: String, _ host: String) -> Bool {
    CaseFolding.key(host).utf8.reversed().starts(with: suffix.utf8.reversed())
  }
}
