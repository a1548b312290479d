/// The pages that the user sees in the browser, and the answers to them.
extension Provider {
  func accountPage(_ flow: Flow, id: String, signedIn: Set<String>) -> Reply {
    var users = configuration.users.filter(flow.realm.admits)
    if let domain = flow.domainHint {
      let ofDomain = users.filter { $0.username.hasSuffix("@" + domain) }
      if !ofDomain.isEmpty { users = ofDomain }
    }
    var content = users.map { user in
      let state = signedIn.contains(user.username) ? " (signed in)" : ""
      let isHinted = user.username.lowercased() == flow.loginHint?.lowercased()
      return """
        <button name="account" value="\(user.username.html)" id="account-\(Self.slug(user.username))"
        \(isHinted ? "autofocus" : "")>\(user.name.html)<br>\(user.username.html)\(state)</button>
        """
    }.joined()
    if flow.prompts.contains("create") {
      content += """
        <label>New account <input id="new-username" name="username"></label>
        <label>Name <input id="new-name" name="name"></label>
        <button id="create" name="action" value="create">Create</button>
        """
    }
    if flow.realm.policy?.contains("edit") == true {
      content += "<label>Name <input id=\"display-name\" name=\"name\"></label>"
    }
    if flow.realm.policy != nil {
      content +=
        "<button id=\"forgot-password\" name=\"action\" value=\"forgot\">"
        + "Forgot your password?</button>"
    }
    return form("Pick an account", id: id, content)
  }

  func consentPage(_ flow: Flow, id: String, user: User) -> Reply {
    let scopes = flow.scopes.map { "<li class=\"scope\">\($0.html)</li>" }.joined()
    return form(
      "Permissions requested", id: id,
      """
      <p><b id="client">\((client(flow.client)?.name ?? flow.client).html)</b> asks for access as
      <b id="user">\(user.username.html)</b>:</p><ul>\(scopes)</ul>
      <button id="accept" name="action" value="accept">Accept</button>
      """)
  }

  func form(_ title: String, id: String, _ content: String) -> Reply {
    .page(
      title,
      """
      <form id="form" method="post" action="\(base)/interaction">
      <input type="hidden" id="flow" name="flow" value="\(id)">\(content)
      <button id="cancel" name="action" value="cancel">Cancel</button></form>
      """)
  }

  /// `ada@contoso.example` as `ada-contoso-example`.
  static func slug(_ username: String) -> String {
    String(username.map { $0.isLetter || $0.isNumber ? $0 : "-" })
  }

  mutating func interact(_ request: Request) -> Reply {
    guard request.method == "POST", let form = request.form, let id = form["flow"],
      var flow = flows.removeValue(forKey: id)
    else { return .page("Sorry", "<p id=\"error\">This page is no longer valid.</p>", status: 400) }
    let session = request.cookie(Self.cookie)
    if flow.isAdminConsent { return finishAdminConsent(flow, isGiven: form["action"] == "accept") }
    switch form["action"] {
    case "cancel": return cancel(flow)
    case "forgot" where flow.realm.policy != nil:
      return refuse(
        flow, Failure("access_denied", 90118, "The user has forgotten their password."))
    case "create" where flow.prompts.contains("create"):
      guard let username = form["username"], username.contains("@"), user(username) == nil else {
        return accountPage(flow, id: keep(flow), signedIn: [])
      }
      configuration.users.append(newUser(username, form["name"] ?? username, flow.realm))
      return signIn(username, &flow, session)
    case "accept":
      guard let username = flow.username else { return .notFound }
      consents[username + " " + flow.client, default: []].formUnion(
        flow.scopes.map { Scopes.name($0, base) })
      return flow.device == nil ? finish(flow) : approve(flow, username)
    default:
      guard let username = form["account"], let index = index(of: username),
        flow.realm.admits(configuration.users[index])
      else {
        return accountPage(flow, id: keep(flow), signedIn: [])
      }
      if flow.realm.policy?.contains("edit") == true, let name = form["name"], !name.isEmpty {
        configuration.users[index].name = name
      }
      return signIn(configuration.users[index].username, &flow, session)
    }
  }

  private func index(of username: String) -> Int? {
    configuration.users.firstIndex { $0.username.lowercased() == username.lowercased() }
  }

  private func newUser(_ username: String, _ name: String, _ realm: Realm) -> User {
    var tenant = Configuration.consumers
    if case .tenant(let id) = realm.kind { tenant = id }
    if case .b2c(let id, _, _) = realm.kind { tenant = id }
    return User(
      username: username, name: name, objectID: RandomText.uuid(), tenant: tenant,
      isB2C: realm.policy != nil)
  }

  private mutating func signIn(_ username: String, _ flow: inout Flow, _ session: String?) -> Reply
  {
    (flow.username, flow.authTime) = (username, now)
    // Every sign-in makes a new session ID, which prevents session fixation.
    let id = RandomText.base64URL()
    var signedIn = session.flatMap { sessions[$0] } ?? [:]
    signedIn[username] = now
    if let session { sessions[session] = nil }
    sessions[id] = signedIn
    count("signIns")
    var reply = proceed(flow, session: id)
    reply.headers.append(
      ("Set-Cookie", "\(Self.cookie)=\(id); Path=/; HttpOnly; SameSite=Lax"))
    return reply
  }

  private mutating func cancel(_ flow: Flow) -> Reply {
    if let device = flow.device {
      devices[device]?.answer = .denied
      return .page("Cancelled", "<p id=\"done\">The device was told.</p>")
    }
    let text =
      flow.realm.policy == nil
      ? "The user declined to consent."
      : "The user has cancelled entering self-asserted information."
    return refuse(
      flow, Failure("access_denied", flow.realm.policy == nil ? 65004 : 90091, text))
  }
}
