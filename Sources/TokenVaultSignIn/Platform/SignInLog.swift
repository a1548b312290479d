/// A log of an application's sign-ins (MSAL's MSALLoggerConfig). Pass the lines on to swift-log or
/// another logger.
///
/// At every level, no line contains a token, a code, a person's name or a URL with parameters, so
/// there is nothing to mask.
public struct SignInLog: Sendable {
  /// The level of detail; each level includes those before it.
  public enum Level: Comparable, Hashable, Sendable, CaseIterable {
    /// Failures.
    case error
    /// Requests that need the user, and tokens served although the provider is down.
    case warning
    /// The result of each request.
    case info
    /// Each exchange with a provider.
    case verbose
  }

  private let level: Level
  private let line: @Sendable (Level, String) -> Void

  /// A log up to a level. `line` is called on any thread.
  public init(_ level: Level = .info, _ line: @escaping @Sendable (Level, String) -> Void) {
    self.level = level
    self.line = line
  }

  package func callAsFunction(_ level: Level, _ text: @autoclosure () -> String) {
    if level <= self.level { line(level, text()) }
  }

  /// The same transport, with a line in this log for each exchange.
  package func wrapping(_ transport: any BlockingTransport) -> any BlockingTransport {
    LoggedTransport(transport: transport, log: self)
  }

  private struct LoggedTransport: BlockingTransport {
    let transport: any BlockingTransport
    let log: SignInLog

    func send(
      _ request: HTTPRequest, _ cancellation: Cancellation
    ) throws(TransportError) -> HTTPResponse {
      let exchange = "\(request.method) \(request.address.origin)"
      do {
        let response = try transport.send(request, cancellation)
        log(.verbose, "\(exchange): \(response.status)")
        return response
      } catch {
        log(.error, "\(exchange): \(error)")
        throw error
      }
    }
  }
}
