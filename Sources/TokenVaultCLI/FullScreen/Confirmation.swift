import TokenVault
import TokenVaultModel

/// A page that asks before an order is carried out.
struct Confirmation: Hashable, Sendable {
  let question: String
  var order: UIOrder
  /// The page for a no.
  var form: Form?

  /// The sign-out, if the browser's session may end with it.
  var signOut: SignOutOrder? {
    if case .signOut(let order) = order, !order.isOfSecret { order } else { nil }
  }

  /// The word for a yes.
  var action: String {
    switch order {
    case .signOut(let order): order.isOfSecret ? "remove" : "sign out"
    default: "replace"
    }
  }

  var consequence: String {
    switch order {
    case .signOut(let order) where order.isOfSecret:
      "The secret is erased on this machine. The service still accepts it: revoke it there."
    case .signOut(let order) where order.clientID != nil:
      "This client's tokens are erased; other clients keep theirs."
    case .signOut:
      "The tokens are erased on this machine, and revoked if the provider supports it."
    default: "The stored secret is erased."
    }
  }
}
