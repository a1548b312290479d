import TokenVault
import TokenVaultModel

/// A page of choices.
struct Menu: Hashable, Sendable {
  enum Choice: Hashable, Sendable {
    case order(UIOrder)
    /// Show another group.
    case group(GroupName)
  }
  struct Item: Hashable, Sendable {
    let label: String
    let choice: Choice
  }
  let title: String
  let items: [Item]
  var place = 0
}
