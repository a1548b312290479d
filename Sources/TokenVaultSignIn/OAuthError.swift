import TokenVaultModel

/// An error response of a provider.
public struct OAuthError: Hashable, Sendable {
  /// `error` (RFC 6749 section 5.2), for example `invalid_grant`.
  public var code: String
  /// `error_description`. It may name the user, so show it to the user and keep it out of logs;
  /// ``description`` omits it.
  public var text: String
  /// `suberror` of Microsoft Entra, which names the step that the user has to take.
  public var suberror: String
  /// Microsoft's error numbers (`AADSTS…`). An error that came through the browser has them in its
  /// description.
  public var numbers: [Int64]
  /// `correlation_id`, which identifies the request to the provider's support.
  public var correlationID: String
  /// `claims` that the next request must contain (conditional access).
  public var claims: String
  /// The status of the HTTP response; 0 if the error came through the browser.
  public var status: Int

  /// An error with the given parts.
  public init(
    code: String, text: String = "", suberror: String = "", numbers: [Int64] = [],
    correlationID: String = "", claims: String = "", status: Int = 0
  ) {
    self.code = code
    self.text = text
    self.suberror = suberror
    self.numbers = numbers
    self.correlationID = correlationID
    self.claims = claims
    self.status = status
  }
}

extension OAuthError: CustomStringConvertible {
  /// The code, suberror and status, without the text, which may name a person.
  public var description: String {
    ([code, suberror].filter { !$0.isEmpty } + (status > 0 ? ["status \(status)"] : []))
      .joined(separator: ", ")
  }
}

extension OAuthError {
  /// The error in a JSON response (RFC 6749 section 5.2); nil if it contains none.
  init?(_ object: JSONValue, status: Int) {
    guard let code = object["error"]?.text.flatMap(Self.word), !code.isEmpty else { return nil }
    self.init(
      code: code, text: object["error_description"]?.text.map(Self.line) ?? "",
      suberror: object["suberror"]?.text.flatMap(Self.word) ?? "",
      numbers: object["error_codes"]?.elements?.prefix(16).compactMap {
        if case .number(let text) = $0 { Int64(text) } else { nil }
      } ?? [],
      correlationID: object["correlation_id"]?.text.flatMap(Self.word) ?? "",
      claims: object["claims"]?.text ?? "", status: status)
  }

  /// The error in the parameters of a redirect (RFC 6749 section 4.1.2.1).
  init(code: String, _ parameters: FormParameters) {
    let text = parameters["error_description"].map(Self.line) ?? ""
    self.init(
      code: code, text: text,
      suberror: parameters["error_subcode"].flatMap(Self.word) ?? "",
      numbers: Self.numbers(in: text))
  }

  /// The numbers after `AADSTS` in a description.
  private static func numbers(in text: String) -> [Int64] {
    text.split(separator: "AADSTS", omittingEmptySubsequences: false).dropFirst().prefix(16)
      .compactMap { Int64($0.prefix { $0.isASCII && $0.isNumber }) }
  }

  /// Whether the provider may have refused the `prompt` parameter (OIDC Core section 3.1.2.6): it has
  /// no account picker, or does not know the value. The description tells whether an invalid request
  /// has another fault.
  package var refusesPrompt: Bool {
    guard status == 0, code == "invalid_request" else {
      return status == 0 && code == "account_selection_required"
    }
    let description = text.lowercased()
    if description.contains("prompt") || numbers.contains(Self.badPrompt) { return true }
    return numbers.isEmpty && !Self.otherParameters.contains(where: description.contains)
  }

  /// AADSTS90023: the value of a parameter, such as `prompt`, is not supported.
  private static let badPrompt: Int64 = 90023
  private static let otherParameters = [
    "scope", "redirect_uri", "client_id", "code_challenge", "pkce", "response_type",
    "response_mode", "nonce", "claims", "login_hint",
  ]

  /// A code: a short word of visible ASCII. Any other text is dropped, so that it cannot reach a
  /// terminal or a log.
  static func word(_ text: String) -> String? {
    let isWord =
      text.utf8.count <= 128
      && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\"") }
    return isWord ? text : nil
  }

  /// The first line of a description, cut after 500 characters, and the ids of the request, which
  /// Microsoft Entra has on lines of their own.
  static func line(_ text: String) -> String {
    let lines = text.prefix(1000).split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let ids = lines.dropFirst().filter { line in
      ["Trace ID: ", "Correlation ID: ", "Timestamp: "].contains(where: line.hasPrefix)
    }
    return ([lines.first?.prefix(500) ?? ""] + ids.prefix(3).map { $0.prefix(80) })
      .joined(separator: " ")
  }
}
