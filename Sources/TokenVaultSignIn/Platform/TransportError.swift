/// The reason why a request got no response.
public enum TransportError: Error, Hashable, Sendable {
  /// The host name could not be resolved.
  case unknownHost(String)
  /// The host could not be reached, or the connection broke.
  case unreachable(host: String)
  /// The host refused the connection: nothing of the request was sent.
  case refused(host: String)
  /// The proxy that the environment names could not be reached.
  case unreachableProxy
  /// The server's certificate is not trusted, or was issued for another host.
  case untrusted(host: String)
  /// The TLS handshake failed for another reason.
  case noTLS(host: String)
  /// The file with the trusted certificates cannot be read.
  case badCertificateFile(path: String)
  /// The response did not arrive in time.
  case timedOut(host: String)
  /// The response is larger than allowed.
  case tooLarge(limit: Int)
  /// The server's reply is not HTTP.
  case notHTTP(host: String)
  /// The address is `http` and not on this machine.
  case notConfidential(host: String)
  /// The caller gave up.
  case cancelled
  /// The HTTP library (libcurl) is not installed.
  case noLibrary
  /// Another failure. The number is libcurl's; another transport may use numbers of its own.
  case other(code: Int)
}
