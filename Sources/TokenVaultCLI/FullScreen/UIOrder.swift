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

  /// Its name in the log.
  var title: String {
    switch self {
    case .switchTo: "switch"
    case .token(let order): order.forceRefresh ? "refresh" : "token"
    case .call: "call"
    case .signIn: "sign in"
    case .signOut: "sign out"
    }
  }
}

extension UIOrder {
  func changed(_ change: (inout TokenOrder) -> Void) -> UIOrder {
    switch self {
    case .token(var order):
      change(&order)
      return .token(order)
    case .call(let url, var order):
      change(&order)
      return .call(url: url, order)
    case .switchTo, .signIn, .signOut: return self
    }
  }
}
