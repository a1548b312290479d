/// A request to a provider or an API. Its headers and body may hold secrets: never log it.
public struct HTTPRequest: Sendable {
  /// The method, as it appears in the request line.
  public var method: String
  /// The URL to send the request to.
  public var address: HTTPURL
  /// Header fields beside those that the transport adds (Host, Content-Length, User-Agent).
  public var headers: [(name: String, value: String)]
  /// The body; nil for none.
  public var body: [UInt8]?
  /// The time limit for the whole exchange, name lookup included.
  public var deadlineMilliseconds: Int
  /// The size limit for the response's body, in bytes.
  public var answerLimit: Int

  /// A request with the given parts. By default the response may have 1 MiB, more than any response
  /// of a provider needs.
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
