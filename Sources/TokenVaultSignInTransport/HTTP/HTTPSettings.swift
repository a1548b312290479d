/// The settings of ``CurlTransport``.
package struct HTTPSettings: Hashable, Sendable {
  /// A PEM file of certificates to trust instead of the system's; nil for the system's.
  package var certificateFile: String?
  /// A directory of certificates under their hashes (`openssl rehash`) to trust instead of the
  /// system's.
  package var certificateDirectory: String?
  /// The User-Agent field.
  package var userAgent: String

  /// Settings with the given parts.
  package init(
    certificateFile: String? = nil, certificateDirectory: String? = nil,
    userAgent: String = "TokenVault"
  ) {
    self.certificateFile = certificateFile
    self.certificateDirectory = certificateDirectory
    self.userAgent = userAgent
  }
}
