import Testing
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultSignIn

/// RFC 8628, rule by rule.
@Suite(.timeLimit(.minutes(5))) struct DeviceRulesTests {
  private static let answer = JSONValue.object([
    .init("device_code", .string("secret")), .init("user_code", .string("ABCD-EFGH")),
    .init("verification_uri", .string("https://id.example/device")),
    .init("expires_in", .number("60")), .init("interval", .number("7")),
  ])

  private static let now = Timestamp(epochSeconds: 784_111_777)

  private func polling(_ changes: [String: JSONValue?] = [:]) throws -> DevicePolling {
    DevicePolling(try DeviceAuthorization(Self.answer.with(changes)))
  }

  private func error(_ code: String, status: Int = 400) -> Result<HTTPResponse, SignInError> {
    .success(HTTPResponse(status: status, body: JSONValue.texts(["error": code]).bytes))
  }

  private func wait(_ action: DevicePolling.Action) -> Int64? {
    if case .ask(let seconds) = action { seconds } else { nil }
  }

  private func failure(_ action: DevicePolling.Action) -> SignInError? {
    if case .failed(let error) = action { error } else { nil }
  }

  @Test func rfc8628_section3_2_theDefaultIntervalIsFiveSeconds() throws {
    var polling = try polling(["interval": missing])
    #expect(wait(polling.begin()) == 5)
  }

  @Test func rfc8628_section3_5_theIntervalStaysWhileAuthorizationIsPending() throws {
    var polling = try polling()
    #expect(wait(polling.begin()) == 7)
    for _ in 0..<3 {
      #expect(wait(polling.next(error("authorization_pending"), now: Self.now)) == 7)
    }
  }

  @Test func rfc8628_section3_5_slowDownAddsFiveSecondsPermanently() throws {
    var polling = try polling()
    _ = polling.begin()
    #expect(wait(polling.next(error("slow_down"), now: Self.now)) == 12)
    #expect(wait(polling.next(error("authorization_pending"), now: Self.now)) == 12)
    #expect(wait(polling.next(error("slow_down"), now: Self.now)) == 17)
  }

  @Test func rfc8628_section3_5_aTimeoutDoublesTheInterval() throws {
    var polling = try polling()
    _ = polling.begin()
    let timeout = Result<HTTPResponse, SignInError>.failure(
      .transport(.timedOut(host: "id.example")))
    #expect(wait(polling.next(timeout, now: Self.now)) == 14)
    #expect(wait(polling.next(timeout, now: Self.now)) == 28)
  }

  @Test func rfc8628_section3_5_anOutageDoesNotEndPolling() throws {
    let host = "id.example"
    let failures: [Result<HTTPResponse, SignInError>] = [
      .failure(.transport(.unreachable(host: host))), .failure(.transport(.refused(host: host))),
      // As the handshake of TLS ends if the connection breaks.
      .failure(.transport(.noTLS(host: host))), .failure(.transport(.unknownHost(host))),
      .failure(.transport(.unreachableProxy)),
      .success(HTTPResponse(status: 503)), .success(HTTPResponse(status: 500, body: [0x3c])),
      error("server_error", status: 500), error("temporarily_unavailable", status: 429),
    ]
    for failure in failures {
      var polling = try polling(["expires_in": .number("1000")])
      _ = polling.begin()
      #expect(wait(polling.next(failure, now: Self.now)) == 14, "\(failure)")
      #expect(wait(polling.next(failure, now: Self.now)) == 28)
      #expect(wait(polling.next(failure, now: Self.now)) == 56)
      #expect(wait(polling.next(failure, now: Self.now)) == 60)
      #expect(wait(polling.next(failure, now: Self.now)) == 60)
      // An answer ends the back-off.
      #expect(wait(polling.next(error("authorization_pending"), now: Self.now)) == 7)
      #expect(wait(polling.next(failure, now: Self.now)) == 14)
    }
  }

  @Test func rfc8628_section3_5_anOutageEndsWithTheCode() throws {
    var polling = try polling()
    var action = polling.begin()
    var waited: Int64 = 0
    while let seconds = wait(action), waited < 1000 {
      // Each request takes three seconds before the connection breaks.
      waited += seconds + 3
      let broken = SignInError.transport(.unreachable(host: "id.example"))
      action = polling.next(.failure(broken), elapsed: 3, now: Self.now)
    }
    #expect(failure(action) == .deviceCodeExpired)
    #expect((45...62).contains(waited))
  }

  @Test(arguments: [
    ("30", 30), ("Sun, 06 Nov 1994 08:50:07 GMT", 30), ("Sunday, 06-Nov-94 08:50:07 GMT", 30),
    ("Sun Nov  6 08:50:07 1994", 30), ("Sun, 06 Nov 1994 08:49:00 GMT", 0),
    ("Tue, 29 Feb 2000 00:00:00 GMT", 167_670_623), ("0", 0),
  ])
  func rfc9110_section10_2_3_retryAfterIsANumberOrADate(text: String, seconds: Int64) {
    let response = HTTPResponse(status: 503, headers: [("Retry-After", text)])
    #expect(response.retryAfter(now: Self.now) == seconds)
  }

  @Test(arguments: [
    "", "-5", "+5", "1.5", "soon", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 24:00:00 GMT",
    "Sun, 06 Nov 1994 08:49 GMT", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 CET", "99999999999999999999", "Sun, 06 Nov 19999 08:49:37 GMT",
  ])
  func rfc9110_section10_2_3_anotherRetryAfterIsIgnored(text: String) {
    let response = HTTPResponse(status: 503, headers: [("Retry-After", text)])
    #expect(response.retryAfter(now: Self.now) == nil)
  }

  @Test func rfc9110_section10_2_3_pollingWaitsAsLongAsTheProviderAsks() throws {
    var polling = try polling(["expires_in": .number("1000")])
    _ = polling.begin()
    let response = HTTPResponse(
      status: 503, headers: [("Retry-After", "Sun, 06 Nov 1994 08:51:37 GMT")])
    #expect(wait(polling.next(.success(response), now: Self.now)) == 120)
  }

  @Test func rfc8628_section3_5_pollingStopsWhenTheCodeExpires() throws {
    var polling = try polling()
    var action = polling.begin()
    var waited: Int64 = 0
    while let seconds = wait(action), waited < 1000 {
      waited += seconds
      action = polling.next(error("authorization_pending"), now: Self.now)
    }
    #expect(failure(action) == .deviceCodeExpired)
    #expect(waited < 60)
    var short = try self.polling(["expires_in": .number("5")])
    #expect(failure(short.begin()) == .deviceCodeExpired)
  }

  @Test func rfc8628_section3_5_aFinalErrorEndsPolling() throws {
    for (code, expected) in [
      ("expired_token", SignInError.deviceCodeExpired), ("access_denied", .userCancelled),
      ("authorization_declined", .userCancelled),
      ("invalid_grant", .provider(OAuthError(code: "invalid_grant", status: 400))),
    ] {
      var polling = try polling()
      _ = polling.begin()
      #expect(failure(polling.next(error(code), now: Self.now)) == expected)
    }
  }

  @Test func rfc8628_section3_5_aTokenResponseEndsPolling() throws {
    var polling = try polling()
    _ = polling.begin()
    let answer = JSONValue.texts(["access_token": "at", "token_type": "Bearer"])
    guard
      case .finished(let got) = polling.next(
        .success(HTTPResponse(status: 200, body: answer.bytes)), now: Self.now)
    else {
      Issue.record("no token")
      return
    }
    #expect(got.accessToken.reveal() == "at")
  }

  @Test func rfc8628_section3_2_aMalformedResponseIsRefused() throws {
    let wrong: [String: [JSONValue?]] = [
      "device_code": [missing, .number("1"), .string(""), .string("a\nb")],
      "user_code": [missing, .array([]), .string("\u{1b}[2J")],
      "verification_uri": [
        missing, .string("javascript:alert(1)"), .string("http://id.example/device"),
        .string("https://user@id.example/"),
      ],
      "expires_in": [missing, .number("0"), .number("-1"), .number("1e9"), .string("soon")],
      "interval": [.number("0"), .number("-5"), .number("99999999999999999999"), .bool(true)],
      "verification_uri_complete": [.string("file:///etc/passwd"), .number("1")],
    ]
    for (name, values) in wrong {
      for value in values {
        #expect(throws: SignInError.badAnswer(.field(name)), "\(name)") {
          try DeviceAuthorization(Self.answer.with([name: value]))
        }
      }
    }
  }

  @Test func rfc8628_section3_1_theRequestIsAFormWithTheClientID() throws {
    let (endpoint, provider) = try endpoint(script: { _ in
      HTTPResponse(status: 200, body: Self.answer.bytes)
    })
    let device = try endpoint.authorizeDevice(
      scopes: ScopeSet(["read"]), claims: nil, extra: FormParameters())
    #expect(device.code.userCode == "ABCD-EFGH")
    #expect(provider.requests.first?.form?["client_id"] == "app")
    #expect(provider.requests.first?.form?["scope"] == "read openid profile offline_access")
    _ = try endpoint.poll(device)
    #expect(provider.requests.last?.form?["device_code"] == "secret")
    #expect(
      provider.requests.last?.form?["grant_type"]
        == "urn:ietf:params:oauth:grant-type:device_code")
  }

  @Test func rfc8628_section3_1_aProviderWithoutDeviceCodesIsReported() throws {
    let (endpoint, provider) = try endpoint(["device_authorization_endpoint": missing])
    #expect(throws: SignInError.notOffered(.deviceCode)) {
      try endpoint.authorizeDevice(
        scopes: ScopeSet([]), claims: nil, extra: FormParameters())
    }
    #expect(provider.requests.isEmpty)
  }
}
