import ArgumentParser
import TokenVaultModel

/// The filters for listing and exporting accounts.
struct FilterOptions: ParsableArguments {
  @Option(help: "Only accounts with this user name.")
  var username: String?
  @Option(help: "Only the account with this home account id.")
  var identifier: String?
  @Option(help: "Only accounts with this identifier in one of their tenants.")
  var tenantProfile: String?
  @Option(help: "Only accounts of this environment, under any host name of its cloud.")
  var environment: String?
  @Option(help: "Only accounts of this B2C policy.")
  var policy: String?
  @Option(help: "Only accounts that this client has tokens for.")
  var clientId: String?
  @Flag(help: "Only accounts that are signed out.")
  var signedOut = false
}

extension AccountQuery {
  init(_ filters: FilterOptions) {
    self.init(
      identifier: filters.identifier, username: filters.username,
      tenantProfileIdentifier: filters.tenantProfile, environment: filters.environment,
      policy: filters.policy, clientID: filters.clientId,
      signedIn: filters.signedOut ? false : nil)
  }
}
