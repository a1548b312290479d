/// A client certificate and its key, in the textual form of RFC 7468, stored as one secret.
struct CertificatePair {
  /// The certificate and those of its issuers, in their order.
  private(set) var certificates = ""
  /// The private key.
  private(set) var key = ""

  /// Nil unless the secret has at least one certificate and exactly one private key.
  init?(_ secret: [UInt8]) {
    guard let text = String(validating: secret, as: UTF8.self) else { return nil }
    var label: String?
    var block = ""
    for line in text.split(whereSeparator: \.isNewline) {
      if label == nil, line.hasPrefix("-----BEGIN "), line.hasSuffix("-----") {
        label = String(line.dropFirst("-----BEGIN ".count).dropLast("-----".count))
        block = ""
      }
      guard let current = label else { continue }
      block += line + "\n"
      guard line == "-----END \(current)-----" else { continue }
      label = nil
      if current == "CERTIFICATE" {
        certificates += block
      } else if current.hasSuffix("PRIVATE KEY") {
        guard key.isEmpty else { return nil }
        key = block
      }
    }
    guard !certificates.isEmpty, !key.isEmpty else { return nil }
  }
}
