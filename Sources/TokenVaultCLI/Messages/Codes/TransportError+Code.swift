import TokenVaultSignIn

extension TransportError {
  /// The stable name of the error in JSON.
  var code: String {
    switch self {
    case .unknownHost: "unknownHost"
    case .unreachable: "hostUnreachable"
    case .refused: "connectionRefused"
    case .unreachableProxy: "proxyUnreachable"
    case .untrusted: "untrustedCertificate"
    case .noTLS: "noTLS"
    case .badCertificateFile: "badCertificateFile"
    case .timedOut: "hostTimedOut"
    case .tooLarge: "responseTooLarge"
    case .notHTTP: "notHTTP"
    case .notConfidential: "notConfidential"
    case .cancelled: "cancelled"
    case .noLibrary: "libcurlMissing"
    case .other: "transferFailed"
    }
  }
}
