/// The endpoint at which an administrator consents for all users of a tenant (Microsoft identity
/// platform, `/v2.0/adminconsent`). Every visitor is an administrator.
extension Provider {
  mutating func adminConsent(_ request: Request, _ realm: Realm) -> Reply {
    let parameters = request.query
    guard let client = client(parameters["client_id"]),
      let redirect = parameters["redirect_uri"], client.allows(redirect: redirect),
      realm.hasAdministrators
    else {
      return errorPage(
        "AADSTS500113: The request for the consent of an administrator is not valid.")
    }
    var flow = Flow(
      realm: realm, client: client.id, redirectURI: redirect, state: parameters["state"],
      scopes: (parameters["scope"] ?? "").split(separator: " ").map(String.init))
    flow.isAdminConsent = true
    let scopes = flow.scopes.map { "<li class=\"scope\">\($0.html)</li>" }.joined()
    return form(
      "Permissions requested for your organization", id: keep(flow),
      """
      <p><b id="client">\(client.name.html)</b> asks for access for all users:</p>
      <ul>\(scopes)</ul><button id="accept" name="action" value="accept">Accept</button>
      """)
  }

  mutating func finishAdminConsent(_ flow: Flow, isGiven: Bool) -> Reply {
    var parameters = FormFields(["admin_consent": "True", "state": flow.state])
    if isGiven {
      if let index = configuration.clients.firstIndex(where: { $0.id == flow.client }) {
        configuration.clients[index].consented.formUnion(
          flow.scopes.map { Scopes.name($0, base) })
      }
      count("adminConsents")
      var tenant = configuration.users.first?.tenant ?? ""
      if case .tenant(let id) = flow.realm.kind { tenant = id }
      if case .external(let id) = flow.realm.kind { tenant = id }
      parameters.append("tenant", tenant)
      parameters.append("scope", flow.scopes.joined(separator: " "))
    } else {
      parameters.append("error", "access_denied")
      parameters.append(
        "error_description", "AADSTS65004: The administrator declined to consent.")
    }
    return .redirect(flow.redirectURI, parameters)
  }
}

extension Realm {
  /// As at Entra, `common` and `consumers` have no administrators.
  fileprivate var hasAdministrators: Bool {
    switch kind {
    case .organizations, .tenant, .external: true
    case .common, .consumers, .b2c, .plain: false
    }
  }
}
