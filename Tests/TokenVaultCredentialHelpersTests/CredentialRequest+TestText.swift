import TokenVaultCredentialHelpers
import TokenVaultCrypto
import TokenVaultModel

extension CredentialRequest {
  /// The request as one line of a transcript.
  var testText: String {
    switch self {
    case .find(let query): "find " + query.testText
    case .store(let new):
      "store " + new.place.testText + " secret=" + new.secret.revealText()
        + field("expires", new.expiresOn.map { "\($0.epochSeconds)" })
        + field("refresh", new.refreshToken?.revealText())
    case .erase(let query, let secret):
      "erase " + query.testText + field("secret", secret?.revealText())
    case .list: "list"
    case .token(let query): "token" + text(of: query)
    }
  }

  private func text(of query: TokenQuery) -> String {
    field("scopes", query.scopes.isEmpty ? nil : query.scopes.joined(separator: ","))
      + field("resource", query.resource) + field("tenant", query.tenant)
      + field("account", query.account) + field("client", query.clientID)
      + field("user", query.username)
      + field("audience", query.audiences.isEmpty ? nil : query.audiences.joined(separator: ","))
      + field("address", query.address?.description)
      + field("subscription", query.subscription)
      + field("claims", query.claims) + (query.needsIDToken ? " id-token" : "")
  }

  private func field(_ name: String, _ value: String?) -> String {
    value.map { " \(name)=\($0)" } ?? ""
  }

  /// The place that the request is for; nil for a token and a listing.
  var place: CredentialQuery? {
    switch self {
    case .find(let query), .erase(let query, _): query
    case .store(let new): new.place
    case .list, .token: nil
    }
  }
}

extension CredentialQuery {
  fileprivate var testText: String {
    address.description + (username.map { " username=\($0)" } ?? "")
  }
}
