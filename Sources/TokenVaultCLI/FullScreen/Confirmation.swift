import TokenVault
import TokenVaultModel

/// A page that asks for confirmation of a sign-out.
struct Confirmation: Hashable, Sendable {
  let question: String
  var order: SignOutOrder
}
