/// A request to a provider or an API. Its headers and body may carry secrets: it is never logged.
public struct HTTPRequest: Sendable {
  /// The method, as it stands in the request line.
  public var method: String
  /// Where it goes.
  public var address: HTTPURL
  /// Header fields beside those that the transport adds (Host, Content-Length, User-Agent).
  public var headers: [(name: String, value: String)]
  /// The body; nil for none.
  public var body: [UInt8]?
  /// For how long the whole exchange may take.
  public var deadlineMilliseconds: Int
  /// How many bytes of body the answer may have.
  public var answerLimit: Int

  /// A request with the parts given; an answer of a provider has no business being larger than
  /// 1 MiB.
  public init(
    method: String = "GET", _ address: HTTPURL, headers: [(name: String, value: String)] = [],
    body: [UInt8]? = nil, deadlineMilliseconds: Int = 30_000, answerLimit: Int = 1 << 20
  ) {
    self.method = method
    self.address = address
    self.headers = headers
    self.body = body
    self.deadlineMilliseconds = deadlineMilliseconds
    self.answerLimit = answerLimit
  }
}

/// An answer, whatever its status: a redirect is an answer like any other and is never followed.
public struct HTTPResponse: Sendable {
  /// The status code.
  public var status: Int
  /// The header fields in their order.
  public var headers: [(name: String, value: String)]
  /// The body, decoded from its content encoding.
  public var body: [UInt8]

  /// An answer with the parts given.
  public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The first value of a header field, by its name without regard to case.
  public func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}

/// Why no answer came.
public enum TransportError: Error, Hashable, Sendable {
  /// The host's name could not be resolved.
  case unknownHost(String)
  /// Nobody could be reached there, or the connection broke.
  case unreachable(host: String)
  /// Nobody listens there: nothing of the request was sent.
  case refused(host: String)
  /// The proxy that the environment names could not be reached.
  case unreachableProxy
  /// The server's certificate is not one that the machine trusts, or is for another host.
  case untrusted(host: String)
  /// No TLS connection came about for another reason.
  case noTLS(host: String)
  /// The file with the trusted certificates cannot be read.
  case badCertificateFile(path: String)
  /// The answer did not come in time.
  case timedOut(host: String)
  /// The answer was larger than allowed.
  case tooLarge(limit: Int)
  /// What came is not HTTP.
  case notHTTP(host: String)
  /// The address is http and not on this machine.
  case notConfidential(host: String)
  /// The caller gave up.
  case cancelled
  /// The HTTP library (libcurl) is not installed.
  case noLibrary
  /// Another failure, by libcurl's number.
  case other(code: Int)
}

/// The way to the network: one exchange at a time, blocking the thread that asks.
public protocol HTTPTransport: Sendable {
  /// Sends a request and waits for the answer. Never follows a redirect, never sends anything to
  /// an http address that is not on this machine.
  func send(
    _ request: HTTPRequest, _ cancellation: Cancellation
  ) throws(TransportError) -> HTTPResponse
}
