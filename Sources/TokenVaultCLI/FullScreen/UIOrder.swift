import TokenVault
import TokenVaultModel
import TokenVaultSignIn

/// An action that the user starts.
enum UIOrder: Hashable, Sendable {
  case switchTo(Account)
  case token(TokenOrder)
  case call(url: String, TokenOrder)
  case signIn(SignInOrder)
  case signOut(SignOutOrder)
  case add(SecretOrder)

  /// Its name in the log.
  var title: String {
    switch self {
    case .switchTo: "switch"
    case .token(let order): order.forceRefresh ? "refresh" : "token"
    case .call: "call"
    case .signIn: "sign in"
    case .signOut(let order): order.isOfSecret ? "remove" : "sign out"
    case .add: "add"
    }
  }
}

extension UIOrder {
  /// Whether it comes from a form, which a failure shows again.
  var hasForm: Bool {
    switch self {
    case .signIn, .add: true
    case .switchTo, .token, .call, .signOut: false
    }
  }

  func changed(_ change: (inout TokenOrder) -> Void) -> UIOrder {
    switch self {
    case .token(var order):
      change(&order)
      return .token(order)
    case .call(let url, var order):
      change(&order)
      return .call(url: url, order)
    case .switchTo, .signIn, .signOut, .add: return self
    }
  }
}
