import TokenVault
import TokenVaultModel

/// A page of text fields.
struct Form: Hashable, Sendable {
  enum Purpose: Hashable, Sendable {
    case signIn(SignInOrder)
    case call(TokenOrder)
  }
  let title: String
  var purpose: Purpose
  var fields: [TextField]
  var place = 0
  /// The error to show.
  var complaint = ""

  /// Whether two choices follow the fields: between browser and code, and of the provider's page.
  var hasChoices: Bool { if case .signIn = purpose { true } else { false } }
  var count: Int { fields.count + (hasChoices ? 2 : 0) }
}
