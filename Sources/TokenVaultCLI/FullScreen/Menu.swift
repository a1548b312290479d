import TokenVault
import TokenVaultModel

/// A page of choices.
struct Menu: Hashable, Sendable {
  struct Item: Hashable, Sendable {
    let label: String
    let order: UIOrder
  }
  let title: String
  let items: [Item]
  var place = 0
}
