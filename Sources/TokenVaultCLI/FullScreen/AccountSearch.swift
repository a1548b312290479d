/// A search in the list of accounts.
struct AccountSearch: Hashable, Sendable {
  var field = TextField("", "")
  /// Whether keys are text. Otherwise they are commands for the accounts that match.
  var isTyping = true
  /// The matching accounts, as indices of the list.
  var matches: [Int]
  /// The account from which the next match is searched for, as an index of the list.
  var anchor: Int

  var text: String { field.text }
}
