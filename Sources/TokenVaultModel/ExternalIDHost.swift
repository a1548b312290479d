/// The hosts of Microsoft Entra External ID, `TENANT.ciamlogin.com`.
package enum ExternalIDHost {
  /// The end of the name of every such host, in lower case, with its leading dot.
  package static let suffix = ".ciamlogin.com"

  /// Whether the host is one of Entra External ID, in any case.
  package static func matches(_ host: String) -> Bool { host.lowercased().hasSuffix(suffix) }
}
