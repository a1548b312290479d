package import TokenVaultModel

/// The consent of an administrator of a Microsoft Entra tenant for all its users (the endpoint
/// `/v2.0/adminconsent` of the Microsoft identity platform).
package struct AdminConsent: Sendable {
  let authority: Authority
  let clientID: String
  let scopes: ScopeSet
  let redirectURI: String

  package init(
    at authority: Authority, clientID: String, scopes: ScopeSet, redirectURI: String
  ) {
    self.authority = authority
    self.clientID = clientID
    self.scopes = scopes
    self.redirectURI = redirectURI
  }

  /// The page that an administrator opens; nil if the provider has none.
  package func page(state: String? = nil) -> HTTPURL? {
    switch authority.kind {
    case .entra, .externalID: break
    case .b2c, .openIDConnect: return nil
    }
    // The endpoint is not available for `common` and `consumers`: personal accounts have no
    // administrator.
    let tenant = authority.isForAllTenants ? "organizations" : authority.tenant
    var page = authority.address
    page.path = "/\(tenant)/v2.0/adminconsent"
    // Without a scope of its own, a request is for the permissions of the registration.
    let wanted = scopes.isEmpty ? ScopeSet([graph + "/.default"]) : scopes
    return page.adding(
      FormParameters([
        "client_id": clientID, "scope": wanted.description, "redirect_uri": redirectURI,
        "state": state,
      ]))
  }

  /// Microsoft Graph in the authority's cloud.
  private var graph: String {
    let hosts = [
      (Authority.Cloud.china, "https://microsoftgraph.chinacloudapi.cn"),
      (.usGovernment, "https://graph.microsoft.us"),
      (.germany, "https://graph.microsoft.de"),
    ]
    return hosts.first { CloudEnvironment.same($0.0.rawValue, authority.environment) }?.1
      ?? "https://graph.microsoft.com"
  }

  /// The error with the page that an administrator opens, if it says that an administrator has to
  /// consent; otherwise the same error.
  /// - Parameter isInteractive: Whether the user has just been asked. AADSTS65001 then means that
  ///   users may not consent.
  package func explained(_ error: SignInError, isInteractive: Bool) -> SignInError {
    guard case .provider(let answer) = error,
      !answer.numbers.filter({
        Self.numbers.contains($0) || isInteractive && $0 == Self.notConsented
      }).isEmpty, let page = page()
    else { return error }
    return .adminConsentRequired(page: page, answer)
  }

  /// "Administrator consent is required", with and without a way to request it.
  private static let numbers: Set<Int64> = [90094, 90095]
  /// "The user or administrator has not consented."
  private static let notConsented: Int64 = 65001
}

extension TokenEndpoint {
  /// The consent for the requests of this application.
  package func adminConsent(
    _ wanted: ScopeSet, redirectURI: String? = nil
  ) -> AdminConsent {
    AdminConsent(
      at: metadata.authority, clientID: application.clientID, scopes: wanted,
      redirectURI: redirectURI ?? application.redirectURI.description)
  }
}
