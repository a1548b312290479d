/// The reason why test vectors cannot be used.
enum VectorError: Error, CustomStringConvertible {
  case notInstalled
  case unreadable(path: String)
  case empty(path: String)
  case missingField(String, path: String)

  var description: String {
    switch self {
    case .notInstalled:
      """
      TOKENVAULT_VECTORS is not set; run \
      scripts/test --filter TokenVaultCryptoTests
      """
    case .unreadable(let path): "no vectors at \(path); run scripts/test"
    case .empty(let path): "no vectors in \(path)"
    case .missingField(let name, let path): "a vector of \(path) has no \(name)"
    }
  }
}
