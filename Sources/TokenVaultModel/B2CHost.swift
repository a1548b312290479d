/// The hosts of Azure AD B2C (MSAL's list of known customer hosts).
package enum B2CHost {
  /// The end of the name of every such host, in lower case, with its leading dot.
  package static let suffixes = [".b2clogin.com", ".b2clogin.cn", ".b2clogin.us", ".b2clogin.de"]

  /// Whether the host is one of Azure AD B2C, in any case.
  package static func matches(_ host: String) -> Bool {
    let host = host.lowercased()
    return suffixes.contains { host.hasSuffix($0) }
  }
}
