import TokenVaultModel

/// The accounts of the group, prepared for the screen when the group is read: no key needs time
/// that grows with their number.
final class AccountList: Sendable {
  let accounts: [Account]
  /// Where each account is, in words that tell two accounts of one name apart.
  let places: [String]
  /// The number of accounts that are signed in, without the stored secrets.
  let signedInCount: Int
  let secretCount: Int
  let metrics: AccountMetrics
  private let indices: [AccountIdentity: Int]
  private let text: SearchText

  init(_ accounts: [Account] = []) {
    self.accounts = accounts
    places = accounts.shownPlaces
    secretCount = accounts.reduce(0) { $0 + ($1.authorityType == .secret ? 1 : 0) }
    signedInCount = accounts.reduce(-secretCount) { $0 + ($1.isSignedIn ? 1 : 0) }
    metrics = AccountMetrics(accounts, places)
    text = SearchText(accounts, places)
    indices = Dictionary(
      zip(accounts.map(\.identity), accounts.indices), uniquingKeysWith: { first, _ in first })
  }

  /// The place of an account in the list; nil if it is not in it.
  func index(of identity: AccountIdentity) -> Int? { indices[identity] }

  /// The accounts with a name or place that contains the text, as ascending indices.
  func matches(_ text: String) -> [Int] { self.text.matches(text) }

  /// The account that is the current one of the group, if one was chosen.
  var current: Account? { accounts.first(where: \.isCurrent) }
}
