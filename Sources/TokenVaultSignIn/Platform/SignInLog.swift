/// Where an application's signing in is told in words (MSAL's MSALLoggerConfig); hand the lines to
/// swift-log or whatever else the application logs with.
///
/// No line has a token, a code, a name of a person or an address with parameters in it, at any
/// level, so there is nothing to mask.
public struct SignInLog: Sendable {
  /// How much is told; each level has those before it in it.
  public enum Level: Int, Comparable, Hashable, Sendable, CaseIterable {
    /// What failed.
    case error
    /// What needs the user, or was served although the provider is down.
    case warning
    /// How each request ended.
    case info
    /// Each exchange with a provider.
    case verbose

    /// The order of the cases.
    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  private let level: Level
  private let line: @Sendable (Level, String) -> Void

  /// A log that is told up to a level. `line` is called on any thread.
  public init(_ level: Level = .info, _ line: @escaping @Sendable (Level, String) -> Void) {
    self.level = level
    self.line = line
  }

  package func callAsFunction(_ level: Level, _ text: @autoclosure () -> String) {
    if level <= self.level { line(level, text()) }
  }

  /// A way to the network that tells of each exchange.
  package func told(by transport: any HTTPTransport) -> any HTTPTransport {
    ToldTransport(transport: transport, log: self)
  }

  private struct ToldTransport: HTTPTransport {
    let transport: any HTTPTransport
    let log: SignInLog

    func send(
      _ request: HTTPRequest, _ cancellation: Cancellation
    ) throws(TransportError) -> HTTPResponse {
      let what = "\(request.method) \(request.address.origin)"
      do {
        let answer = try transport.send(request, cancellation)
        log(.verbose, "\(what): \(answer.status)")
        return answer
      } catch {
        log(.error, "\(what): \(error)")
        throw error
      }
    }
  }
}
