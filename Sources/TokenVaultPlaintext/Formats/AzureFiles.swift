import TokenVaultCrypto
import TokenVaultModel

/// The files of the Azure CLI.
enum AzureFiles {
  private static let kinds = ["AccessToken", "RefreshToken", "IdToken"]

  /// One finding for each account, which has all its tokens.
  static func cache(_ bytes: [UInt8]) throws(PlaintextError) -> [PlaintextSecret] {
    let leaves = try JSONText(bytes).leaves()
    var owners: [String] = []
    var cuts: [String: [Cut]] = [:]
    var ends: [String: Timestamp] = [:]
    for leaf in leaves
    where leaf.path.count == 3 && kinds.contains(leaf.path[0]) && leaf.name == "secret" {
      guard case .node(let path) = leaf.cut else { continue }
      let owner = leaves.value("home_account_id", beside: leaf) ?? ""
      if cuts[owner] == nil { owners.append(owner) }
      cuts[owner, default: []].append(.node(path.dropLast()))
      // The account can be used for as long as its refresh token.
      let end = Timestamp(leaves.value("expires_on", beside: leaf))
      if let end { ends[owner] = max(end, ends[owner] ?? end) }
    }
    let own = leaves.filter { $0.path.count == 3 && $0.name == "home_account_id" }
    let withRefreshToken = Set(own.filter { $0.path[0] == "RefreshToken" }.map { $0.value ?? "" })
    var accounts: [String: Leaf] = [:]
    for leaf in own where leaf.path[0] == "Account" { accounts[leaf.value ?? ""] = leaf }
    return owners.map { owner in
      let hasRefreshToken = withRefreshToken.contains(owner)
      let account = accounts[owner]
      let place = owner.isEmpty ? "tokens without an account" : "AccessToken, RefreshToken, IdToken"
      var secret = PlaintextSecret(.tokens, at: place, cuts: cuts[owner] ?? [])
      secret.username = account.flatMap { leaves.value("username", beside: $0) }
      if secret.username == nil, !owner.isEmpty { secret.username = owner }
      secret.service = account.flatMap { leaves.value("environment", beside: $0) }
      secret.expiresOn = hasRefreshToken ? nil : ends[owner]
      return secret
    }
  }

  static func principals(_ bytes: [UInt8]) throws(PlaintextError) -> [PlaintextSecret] {
    let leaves = try JSONText(bytes).leaves()
    return leaves.compactMap { leaf in
      guard ["client_secret", "accessToken"].contains(leaf.name), leaf.path.count == 2,
        let value = leaf.value, !value.isEmpty, case .node(let path) = leaf.cut
      else { return nil }
      var secret = PlaintextSecret(
        .clientSecret, at: "element \(leaf.path[0])", cuts: [.node(path.dropLast())])
      secret.username =
        leaves.value("client_id", beside: leaf) ?? leaves.value("servicePrincipalId", beside: leaf)
      let tenant =
        leaves.value("tenant", beside: leaf) ?? leaves.value("servicePrincipalTenant", beside: leaf)
      secret.service = tenant.map { "https://login.microsoftonline.com/\($0)" }
      secret.hold(value)
      return secret
    }
  }

  /// ADAL's tokens, which no present library uses.
  static func formerCache(_ bytes: [UInt8]) throws(PlaintextError) -> [PlaintextSecret] {
    let leaves = try JSONText(bytes).leaves()
    return leaves.compactMap { leaf in
      guard leaf.path.count == 2, leaf.name == "accessToken" || leaf.name == "refreshToken" else {
        return nil
      }
      var secret = PlaintextSecret(
        leaf.name == "accessToken" ? .accessToken : .refreshToken, at: "element \(leaf.path[0])",
        cuts: [])
      secret.username = leaves.value("userId", beside: leaf)
      secret.service = leaves.value("resource", beside: leaf)
      if leaf.name == "accessToken" {
        secret.expiresOn = leaf.value.flatMap { Timestamp(endOfWebToken: $0) }
      }
      return secret
    }
  }
}
