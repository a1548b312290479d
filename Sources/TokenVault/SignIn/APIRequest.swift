public import TokenVaultSignIn
import TokenVaultCrypto
public import TokenVaultModel

/// A call of an API with an account's token.
public struct APIRequest: Sendable {
  /// The method, in capitals.
  public let method: String
  /// The only place that the token goes to.
  public let address: HTTPURL
  /// The fields that were added.
  public private(set) var headers: [(name: String, value: String)] = []
  /// The body; nil for none.
  public var body: [UInt8]?
  /// The scopes the token must have; empty for a token for the address's origin.
  public var scopes: ScopeSet {
    get { token.scopes }
    set { token.scopes = newValue }
  }
  /// Which token it goes out with; without scopes and resource, one for the address's origin.
  package var token = TokenRequest(scopes: ScopeSet([]))
  package var silent = SilentOptions()

  /// The most of one answer: 64 MiB.
  static let answerLimit = 64 << 20
  /// The most pages of one collection.
  static let pageLimit = 1000

  /// A call without a body.
  /// - Throws: ``SignInError/invalidRequest(_:)`` for what is no method or no http or https URL;
  ///   ``SignInError/transport(_:)`` `notConfidential` where a token could be read on its way.
  public init(_ method: String, _ url: String) throws(SignInError) {
    guard !method.isEmpty, method.utf8.count <= 32,
      method.utf8.allSatisfy({ (0x61...0x7a).contains($0 | 0x20) })
    else { throw .invalidRequest(.method) }
    guard let address = HTTPURL(url) else { throw .invalidRequest(.url) }
    guard address.isConfidential else { throw .transport(.notConfidential(host: address.host)) }
    self.method = method.uppercased()
    self.address = address
  }

  /// Adds a header field, as `Name: value`.
  /// - Throws: ``SignInError/invalidRequest(_:)`` for anything else, and for those fields that say
  ///   who asks or how the message is cut: another token than the account's is not sent.
  public mutating func add(header line: String) throws(SignInError) {
    let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { throw .invalidRequest(.header) }
    let name = String(parts[0])
    let value = String(parts[1].drop { $0 == " " })
    let own = [
      "authorization", "proxy-authorization", "host", "content-length", "transfer-encoding",
      "connection", "cookie",
    ]
    guard !name.isEmpty, !own.contains(name.lowercased()),
      name.utf8.allSatisfy({
        (0x61...0x7a).contains($0 | 0x20) || (0x30...0x39).contains($0) || "-_".utf8.contains($0)
      }), value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f })
    else { throw .invalidRequest(.header) }
    headers.append((name, value))
  }

  func has(header name: String) -> Bool { headers.contains { $0.name.lowercased() == name } }
}
