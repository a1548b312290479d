internal import TokenVaultCCurl
package import TokenVaultSignIn
import Synchronization
import TokenVaultSystem

/// HTTP/1.1 over the system's libcurl, which is loaded for the first request. libcurl reads the
/// proxy settings from the environment (`https_proxy`, `all_proxy`, `no_proxy`); requests to this
/// machine never use a proxy.
///
/// Connections are reused. Several threads can send requests at the same time. A body that a server
/// may have received is never sent a second time.
package final class CurlTransport: BlockingTransport {
  /// The size limit for a response's header, in bytes.
  static let headLimit = 64 << 10

  private let settings: HTTPSettings
  private let idle = Mutex<[Connection]>([])

  /// A transport; it opens no connection before the first request.
  package init(_ settings: HTTPSettings = HTTPSettings()) { self.settings = settings }

  /// Whether libcurl is installed. Loads it.
  package static var isAvailable: Bool { tv_http_library() }

  /// Sends a request and waits for the response.
  package func send(
    _ request: HTTPRequest, _ cancellation: Cancellation
  ) throws(TransportError) -> HTTPResponse {
    guard request.address.isConfidential else {
      throw .notConfidential(host: request.address.host)
    }
    if cancellation.isCancelled { throw .cancelled }
    guard let headers = Self.headerLines(request) else { throw .other(code: Self.badArgument) }
    guard Self.isAvailable else { throw .noLibrary }
    let idleConnection = idle.withLock { $0.popLast() }
    let connection = if let idleConnection { idleConnection } else { try Connection(settings) }
    let result: Result<HTTPResponse, TransportError>
    do {
      result = .success(
        try LongWait.server(request.address.host).during { () throws(TransportError) in
          try exchange(connection, request, headers, cancellation)
        })
    } catch { result = .failure(error) }
    idle.withLock { if $0.count < 4 { $0.append(connection) } }
    return try result.get()
  }

  private func exchange(
    _ connection: Connection, _ request: HTTPRequest, _ headers: String,
    _ cancellation: Cancellation
  ) throws(TransportError) -> HTTPResponse {
    // These methods send Content-Length: 0 if there is no body (RFC 9110 section 8.6).
    let body = request.body ?? (["POST", "PUT", "PATCH"].contains(request.method) ? [] : nil)
    var answer = unsafe tv_http_answer()
    defer { unsafe tv_http_answer_free(&answer) }
    var limits = unsafe tv_http_limits(
      deadline_ms: Int32(clamping: max(request.deadlineMilliseconds, 1)),
      answer_limit: max(request.answerLimit, 0), head_limit: Self.headLimit,
      loopback: request.address.isLoopback,
      is_cancelled: { context in
        guard let context = unsafe context else { return false }
        return unsafe Unmanaged<Cancellation>.fromOpaque(context).takeUnretainedValue().isCancelled
      },
      context: Unmanaged.passUnretained(cancellation).toOpaque())
    // An empty array may have a null address, which would mean that there is no body.
    unsafe (body.map { $0 + [0] } ?? []).withUnsafeBytes {
      unsafe tv_http_exchange(
        connection.handle, request.method, request.address.description, headers,
        body == nil ? nil : $0.baseAddress, body?.count ?? 0, &limits, &answer)
    }
    withExtendedLifetime(cancellation) {}
    if let error = unsafe TransportError(answer, request, settings) { throw error }
    let head = unsafe UnsafeRawBufferPointer(start: answer.head, count: answer.head_count)
    let content = unsafe UnsafeRawBufferPointer(start: answer.body, count: answer.body_count)
    return unsafe HTTPResponse(
      status: Int(answer.status), headers: Self.fields(Array(head)), body: Array(content))
  }

  /// CURLE_BAD_FUNCTION_ARGUMENT.
  private static let badArgument = 43

  /// The header fields in libcurl's form; nil if the method or a field could smuggle another field.
  private static func headerLines(_ request: HTTPRequest) -> String? {
    let token = { (text: String) in
      !text.isEmpty
        && text.utf8.allSatisfy {
          (0x61...0x7a).contains($0 | 0x20) || (0x30...0x39).contains($0)
            || "!#$%&'*+-.^_`|~".utf8.contains($0)
        }
    }
    guard token(request.method) else { return nil }
    // Suppresses the fields that libcurl adds by default.
    var lines = "Expect:\n"
    if !request.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
      lines += "Content-Type:\n"
    }
    for (name, value) in request.headers {
      guard token(name), value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else { return nil }
      lines += value.isEmpty ? "\(name);\n" : "\(name): \(value)\n"
    }
    return lines
  }

  /// The header fields of a response; the first line is the status line.
  private static func fields(_ head: [UInt8]) -> [(name: String, value: String)] {
    head.split(separator: 0x0a).dropFirst().compactMap { line in
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
      let text = { (part: ArraySlice<UInt8>) in
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0d }
        let start = part.drop(while: isBlank)
        return String(decoding: start.prefix(upTo: trimmedEnd(start, isBlank)), as: UTF8.self)
      }
      return (text(line[..<colon]), text(line[(colon + 1)...]))
    }
  }

  private static func trimmedEnd(_ part: ArraySlice<UInt8>, _ isBlank: (UInt8) -> Bool) -> Int {
    (part.lastIndex { !isBlank($0) } ?? part.startIndex - 1) + 1
  }

  /// A libcurl handle. Only the thread that took it from the idle ones uses it.
  @safe private final class Connection: @unchecked Sendable {
    let handle: OpaquePointer

    init(_ settings: HTTPSettings) throws(TransportError) {
      guard
        let handle = unsafe tv_http_new(
          settings.certificateFile, settings.certificateDirectory, settings.userAgent)
      else { throw .noLibrary }
      unsafe self.handle = unsafe handle
    }

    deinit { unsafe tv_http_free(handle) }
  }
}

extension TransportError {
  /// The error that libcurl reports; nil if there is a response of the server.
  fileprivate init?(_ answer: tv_http_answer, _ request: HTTPRequest, _ settings: HTTPSettings) {
    let host = request.address.host
    if unsafe answer.code == 0 { return nil }
    if unsafe answer.cancelled {
      self = .cancelled
    } else if unsafe answer.body_too_large {
      self = .tooLarge(limit: request.answerLimit)
    } else if unsafe answer.head_too_large {
      self = .tooLarge(limit: CurlTransport.headLimit)
    } else if unsafe answer.at_proxy {
      self = .unreachableProxy
    } else {
      // CURLcode; curl/curl.h promises to keep the numbers.
      switch unsafe answer.code {
      case 5, 97: self = .unreachableProxy
      case 6: self = .unknownHost(host)
      case 1, 8, 16, 61, 92: self = .notHTTP(host: host)
      case 7 where unsafe answer.refused: self = .refused(host: host)
      // A broken connection, and a body that is not sent again (65).
      case 7, 18, 52, 55, 56, 65: self = .unreachable(host: host)
      // A header line over libcurl's limit, which older versions report as out of memory (27).
      case 27, 100: self = .tooLarge(limit: CurlTransport.headLimit)
      case 28: self = .timedOut(host: host)
      case 51, 60, 90, 91: self = .untrusted(host: host)
      case 35, 53, 54, 58, 59, 66, 80, 83: self = .noTLS(host: host)
      case 77:
        self = .badCertificateFile(
          path: settings.certificateFile ?? settings.certificateDirectory ?? "")
      case let code: self = .other(code: Int(code))
      }
    }
  }
}
