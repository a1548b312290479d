import TokenVaultModel

@testable import TokenVault

extension AccountListing {
  var usernames: [String] { accounts.map(\.username) }
}
