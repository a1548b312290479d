/// The device authorization grant (RFC 8628).
extension Provider {
  mutating func deviceCode(_ request: Request, _ realm: Realm) throws(Failure) -> JSON {
    let form = try protocolForm(request)
    let client = try publicClient(form)
    guard realm.policy == nil else {
      throw Failure("unsupported_grant_type", 70003, "B2C has no device code flow.")
    }
    let scopes = try Scopes.parse(form["scope"], base: base)
    let letters = Array("BCDFGHJKLMNPQRSTVWXZ")
    let userCode = String(
      (0..<8).map { _ in letters[Int.random(in: letters.indices)] }
    ).inserting("-", at: 4)
    let device = DeviceAuthorization(
      code: "d." + RandomText.base64URL(), realm: realm, client: client.id, scopes: scopes,
      expires: now + configuration.number("deviceLifetime"),
      interval: configuration.number("deviceInterval"))
    devices[userCode] = device
    count("deviceCodes")
    let page = base + "/devicelogin"
    var answer: JSON = [
      "device_code": .string(device.code), "user_code": .string(userCode),
      "verification_uri": .string(page),
      "expires_in": .seconds(configuration.number("deviceLifetime")),
      "interval": .seconds(device.interval),
    ]
    if realm.isPlain {
      answer["verification_uri_complete"] = .string("\(page)?user_code=\(userCode)")
    } else {
      answer["message"] = """
        To sign in, use a web browser to open the page \(page) and enter the code \(userCode) to \
        authenticate.
        """
    }
    return answer
  }

  /// A request to the token endpoint with a device code (RFC 8628 section 3.4).
  mutating func redeemDevice(
    _ form: FormFields, _ client: Client, _ realm: Realm
  ) throws(Failure) -> JSON {
    guard let code = form["device_code"],
      let (userCode, found) = devices.first(where: { $0.value.code == code }),
      found.client == client.id, found.realm.trustDomain == realm.trustDomain
    else { throw Failure("invalid_grant", 70002, "The device code is not known.") }
    var device = found
    defer { devices[userCode] = device }
    if case .used = device.answer {
      throw Failure("invalid_grant", 54005, "The device code was already redeemed.")
    }
    guard now < device.expires else {
      throw Failure("expired_token", 70020, "The device code has expired.")
    }
    let last = device.lastPoll
    device.lastPoll = now
    if let last, now - last < device.interval - 0.05 {
      device.interval += 5
      throw Failure("slow_down", 70023, "The client polls too often.")
    }
    switch device.answer {
    case .approved(let username):
      device.answer = .used
      count("deviceRedemptions")
      let grant = add(
        Grant(
          realm: device.realm, username: username, client: client.id, scopes: device.scopes,
          claims: form["claims"], authTime: now))
      return try issue(
        grant, client: client, realm: device.realm, scopes: device.scopes, form: form)
    case .denied:
      throw Failure(
        configuration.text("declinedDeviceError"), 70018, "The end user declined the request.")
    case .pending, .used:
      throw Failure("authorization_pending", 70016, "The user has not answered yet.")
    }
  }

  mutating func deviceLogin(_ request: Request) -> Reply {
    let asked = (request.method == "POST" ? request.form : request.query)?["user_code"]
    guard request.method == "POST", let userCode = asked?.uppercased() else {
      return codePage(asked ?? "", "")
    }
    guard let device = pendingDevice(userCode) else {
      count("wrongUserCodes")
      return codePage("", "<p id=\"error\">That code did not work.</p>")
    }
    // RFC 8628 section 5.4: an attacker may have sent the code. The pages show the user which
    // client asks for access.
    let flow = Flow(
      realm: device.realm, client: device.client, scopes: device.scopes,
      prompts: ["select_account"],
      device: userCode)
    return proceed(flow, session: request.cookie(Self.cookie))
  }

  /// The device authorization of a user code, if it has not expired and waits for an answer.
  func pendingDevice(_ userCode: String) -> DeviceAuthorization? {
    guard let device = devices[userCode], now < device.expires, case .pending = device.answer
    else { return nil }
    return device
  }

  private func codePage(_ code: String, _ note: String) -> Reply {
    .page(
      "Enter code",
      """
      \(note)<form id="form" method="post" action="\(base)/devicelogin">
      <input id="user-code" name="user_code" value="\(code.html)">
      <button id="next">Next</button></form>
      """)
  }

  mutating func approve(_ flow: Flow, _ username: String) -> Reply {
    guard let userCode = flow.device, pendingDevice(userCode) != nil else {
      return .page("Sorry", "<p id=\"error\">The code has expired.</p>", status: 400)
    }
    devices[userCode]?.answer = .approved(username: username)
    return .page("Signed in", "<p id=\"done\">You may close this window.</p>")
  }
}

extension String {
  fileprivate func inserting(_ text: String, at offset: Int) -> String {
    prefix(offset) + text + dropFirst(offset)
  }
}
