/// A response with any status. Redirects are returned like other responses and never followed.
public struct HTTPResponse: Sendable {
  /// The status code.
  public var status: Int
  /// The header fields in their order.
  public var headers: [(name: String, value: String)]
  /// The body, after its content encoding has been undone.
  public var body: [UInt8]

  /// A response with the given parts.
  public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The first value of a header field. The name's case does not matter.
  public func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}
