import TokenVaultGroupStore
import TokenVaultModel
import TokenVaultSignIn

extension AccountRecord {
  /// Updates the tenant's profile with the content of the ID token.
  mutating func merge(_ validated: ValidatedTokens, environment: String) {
    guard let idToken = validated.idToken else { return }
    let index = profiles.firstIndex { CaseFolding.equal($0.tenantID, validated.realm) }
    let known = index.map { profiles[$0] }
    let profile = Profile(
      tenantID: validated.realm, localAccountID: idToken.localAccountID ?? "",
      username: validated.username.isEmpty ? known?.username ?? "" : validated.username,
      environment: environment, claimsJSON: idToken.claimsJSON,
      extraJSON: validated.profileFields(over: known?.extraJSON ?? []))
    if let index { profiles[index] = profile } else { profiles.append(profile) }
    profiles.sort { ($0.tenantID, $0.localAccountID) < ($1.tenantID, $1.localAccountID) }
  }
}

extension ValidatedTokens {
  /// The fields of MSAL's `Account` entity that other libraries read.
  fileprivate func profileFields(over known: [UInt8]) -> [UInt8] {
    var members: [JSONValue.Member] = []
    if !known.isEmpty {
      // absent is an answer: fields that do not parse are replaced by the present ones.
      do { members = try JSONValue(parsing: known).members ?? [] } catch { members = [] }
    }
    func set(_ name: String, _ text: String?) {
      guard let text else { return }
      members.removeAll { $0.name == name }
      members.append(.init(name, .string(text)))
    }
    set("client_info", answer.clientInfoText)
    set("name", idToken?.name)
    return members.isEmpty ? [] : JSONValue.object(members).bytes
  }
}
