import TokenVaultModel
package import TokenVaultSignIn

extension Acquisition {
  /// The page where the user of an account sees it at its provider: that of the provider's file,
  /// otherwise the `account_management_uri` of the discovery document. That of a stored secret is its
  /// service.
  /// - Returns: Nil if the provider names none.
  package func portalPage(of account: Account) throws -> HTTPURL? {
    switch account.authorityType {
    case .secret:
      return account.service.flatMap { HTTPURL($0) }.flatMap { $0.isConfidential ? $0 : nil }
    case .entra:
      // The portals of other clouds are at other addresses.
      guard CloudEnvironment.same(account.environment, Authority.Cloud.public.rawValue) else {
        return nil
      }
      return try session.configuration.providers.named("microsoft")?.portalPage
    case .oidc: break
    case .b2c, .adfs, .other: return nil
    }
    guard let authority = try authority(of: account) else { return nil }
    let provider = try session.provider(of: authority)
    if let page = provider?.portalPage { return page }
    let application = ApplicationConfiguration(clientID: "", authority: authority)
    return try endpoint(application, at: authority, describedBy: provider, correlationID: "")
      .metadata.portalPage
  }

  private func authority(of account: Account) throws(VaultError) -> Authority? {
    try session.read { transaction in
      guard let record = try transaction.account(of: account)?.record else { return nil }
      let client = record.authorities.keys.sorted().first ?? ""
      return try record.authority(ofClient: client)
    }
  }
}
