import TokenVaultSignIn

// MARK: The connection to a provider

extension Failure {
  init(_ error: TransportError) {
    let kept = Self.tokensKept
    let later = Self.again("later")
    switch error {
    case .unknownHost(let host):

      self.init(
        .unreachable,
        "Cannot resolve \(PlainText.escaped(host)). Are you offline?\(kept)", next: later)
    case .refused(let host):
      self.init(
        .unreachable,
        "Cannot connect to \(LastRequest.authority(of: host)) (connection refused).\(kept)",
        next: later)
    case .unreachable(let host):

      self.init(
        .unreachable, "Cannot connect to \(LastRequest.authority(of: host)).\(kept)", next: later)
    case .unreachableProxy:

      self.init(
        .unreachable, "Cannot connect to the proxy in https_proxy.\(kept)",
        next: Self.again("with another https_proxy, or without it"))
    case .untrusted(let host):
      self.init(
        .unreachable,
        "The certificate of \(Self.quoted(host)) is not trusted, or is for another host.\(kept)",
        next: Self.again("with SSL_CERT_FILE set to the certificates of your network"))
    case .noTLS(let host):

      self.init(
        .unreachable, "TLS handshake with \(Self.quoted(host)) failed.\(kept)", next: later)
    case .badCertificateFile(let path):
      self.init(
        .configuration, "Cannot read the certificates in SSL_CERT_FILE: \(Self.path(path)).",
        next: "ls -l \(PlainText.shellWord(path))")
    case .timedOut(let host):

      self.init(
        .unreachable, "\(LastRequest.authority(of: host)) did not answer in time.\(kept)",
        next: later)
    case .tooLarge(let limit):

      self.init(
        .provider, "The response is larger than \(limit) bytes.\(kept)",
        next: Self.again("with another URL"))
    case .notHTTP(let host):

      self.init(
        .provider, "The response from \(Self.quoted(host)) is not HTTP.\(kept)",
        next: Self.again("with another URL"))
    case .notConfidential(let host):
      self.init(
        usage:
          "\(Self.quoted(host)) would be reached without TLS; tokens are sent over https only.")
    case .cancelled: self.init(.interrupted, "Cancelled.\(kept)", next: Self.again())
    case .noLibrary:
      self.init(
        .unreachable,
        "libcurl is not installed, and requests to providers need it. "
          + "Nothing was changed.",
        next: "sudo apt-get install libcurl4")
    case .other(let code):

      self.init(
        .unreachable, "The transfer failed (libcurl error \(code)).\(kept)", next: later)
    }
  }
}
