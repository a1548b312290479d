import TokenVaultSignIn

// MARK: The connection to a provider

extension Failure {
  init(_ error: TransportError) {
    switch error {
    case .unknownHost(let host):
      self.init(.unreachable, "Cannot resolve \(PlainText.escaped(host)). Are you offline?")
    case .refused(let host):
      self.init(
        .unreachable, "Cannot connect to \(LastRequest.authority(of: host)) (connection refused).")
    case .unreachable(let host):
      self.init(.unreachable, "Cannot connect to \(LastRequest.authority(of: host)).")
    case .unreachableProxy:
      self.init(.unreachable, "Cannot connect to the proxy in https_proxy.")
    case .untrusted(let host):
      self.init(
        .unreachable,
        "The certificate of \(Self.quoted(host)) is not trusted, or is for another host.")
    case .noTLS(let host):
      self.init(.unreachable, "TLS handshake with \(Self.quoted(host)) failed.")
    case .badCertificateFile(let path):
      self.init(
        .configuration, "Cannot read the certificates in SSL_CERT_FILE: \(Self.path(path)).")
    case .timedOut(let host):
      self.init(.unreachable, "\(LastRequest.authority(of: host)) did not answer in time.")
    case .tooLarge(let limit):
      self.init(.provider, "The response is larger than \(limit) bytes.")
    case .notHTTP(let host):
      self.init(.provider, "The response from \(Self.quoted(host)) is not HTTP.")
    case .notConfidential(let host):
      self.init(
        .usage,
        "\(Self.quoted(host)) would be reached without TLS; tokens are sent over https only.")
    case .cancelled: self.init(.interrupted, "Cancelled.")
    case .noLibrary:
      self.init(
        .unreachable, "libcurl is not installed, and requests to providers need it.",
        next: "sudo apt-get install libcurl4")
    case .other(let code):
      self.init(.unreachable, "The transfer failed (libcurl error \(code)).")
    }
  }
}
