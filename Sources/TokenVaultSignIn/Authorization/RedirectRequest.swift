/// A request to the redirect listener: the parts of its head that decide whether it is the
/// provider's redirect.
public struct RedirectRequest: Hashable, Sendable {
  /// The size limit for a head, in bytes. Redirects of providers are far smaller.
  package static let limit = 16 << 10

  /// The method.
  public let method: String
  /// The path of the request target.
  public let path: String
  /// The text after the question mark; empty if there is none.
  public let query: String
  /// The Host field; empty if there is none.
  public let host: String
  /// The Sec-Fetch-Mode field; empty if the browser sends none.
  public let fetchMode: String
  /// The Sec-Fetch-Dest field; empty if the browser sends none.
  public let fetchDestination: String
  /// Whether the browser asks in advance, for a page that the user may never open.
  package var isPrefetch = false
  /// Whether the client is a process of another user.
  package var isOfOtherUser = false

  /// A redirect to a custom scheme, which is a URL without an HTTP request.
  public init(path: String, query: String) {
    self.init(method: "GET", path: path, query: query, host: "", fetchMode: "")
  }

  /// A request that an HTTP server of yours received on a loopback address. The server must accept
  /// connections of its own user only.
  public init(
    method: String, path: String, query: String, host: String, fetchMode: String,
    fetchDestination: String = ""
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.host = host
    self.fetchMode = fetchMode
    self.fetchDestination = fetchDestination
  }

  /// Whether the user's browser opens a page, in a window of its own. Images, scripts and frames on a
  /// foreign page do not, and say so (Fetch Metadata Request Headers).
  var isNavigation: Bool {
    ["", "navigate"].contains(fetchMode) && ["", "document"].contains(fetchDestination)
  }

  /// The result of parsing a head.
  package enum Reading: Hashable, Sendable {
    /// The empty line at the end is missing so far.
    case incomplete
    /// This is no HTTP/1 request, or one that two parsers could read in two ways.
    case malformed
    /// A request.
    case request(RedirectRequest)
  }

  /// Parses the head of a request (RFC 9112 sections 2 to 5) from the first bytes of a connection.
  package static func read(_ bytes: [UInt8]) -> Reading {
    guard let end = headEnd(bytes) else {
      return bytes.count > limit ? .malformed : .incomplete
    }
    guard end <= limit else { return .malformed }
    let head = bytes[..<end]
    guard !head.contains(0), let text = String(validating: head, as: UTF8.self) else {
      return .malformed
    }
    var lines = text.utf8.split(separator: 0x0a, omittingEmptySubsequences: false)
      .map { $0.last == 0x0d ? $0.dropLast() : $0 }
    guard !lines.contains(where: { $0.contains(0x0d) }) else { return .malformed }
    let requestLine = lines.removeFirst().split(
      separator: 0x20, omittingEmptySubsequences: false
    ).map { String(Substring($0)) }
    guard requestLine.count == 3, ["HTTP/1.1", "HTTP/1.0"].contains(requestLine[2]),
      !requestLine[0].isEmpty, requestLine[0].utf8.allSatisfy({ (0x41...0x5a).contains($0) }),
      requestLine[1].hasPrefix("/"),
      requestLine[1].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "#") })
    else { return .malformed }
    var fields: [String: String] = [:]
    for line in lines where !line.isEmpty {
      guard let (name, value) = field(line) else { return .malformed }
      // RFC 9112 section 3.2: more than one Host field is a bad request.
      if fields.updateValue(value, forKey: name) != nil, name == "host" { return .malformed }
    }
    let target = requestLine[1]
    let question = target.firstIndex(of: "?")
    var request = RedirectRequest(
      method: requestLine[0], path: String(target[..<(question ?? target.endIndex)]),
      query: question.map { String(target[target.index(after: $0)...]) } ?? "",
      host: fields["host"] ?? "", fetchMode: fields["sec-fetch-mode"] ?? "",
      fetchDestination: fields["sec-fetch-dest"] ?? "")
    request.isPrefetch = ["sec-purpose", "purpose", "x-moz"].contains { name in
      fields[name]?.contains("prefetch") == true
    }
    return .request(request)
  }

  private static func field(_ line: Substring.UTF8View.SubSequence) -> (String, String)? {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else {
      return nil
    }
    let name = line[..<colon]
    guard
      name.allSatisfy({
        (0x61...0x7a).contains($0 | 0x20) || (0x30...0x39).contains($0)
          || "!#$%&'*+-.^_`|~".utf8.contains($0)
      })
    else { return nil }
    let value = Substring(line[line.index(after: colon)...]).drop { $0 == " " || $0 == "\t" }
    let trimmed = String(String(value).reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    return (String(Substring(name)).lowercased(), trimmed)
  }

  /// The index after the first empty line.
  private static func headEnd(_ bytes: [UInt8]) -> Int? {
    var previous: Int?
    for (index, byte) in bytes.enumerated() where byte == 0x0a {
      if let previous, index - previous == 1 || (index - previous == 2 && bytes[index - 1] == 0x0d)
      {
        return index + 1
      }
      previous = index
    }
    return nil
  }
}
