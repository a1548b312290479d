import TokenVault
import TokenVaultModel

/// A page of text fields.
struct Form: Hashable, Sendable {
  enum Purpose: Hashable, Sendable {
    case signIn(SignInOrder)
    case call(TokenOrder)
    case secret
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

  /// The fields that may not be empty.
  var required: Range<Int> {
    switch purpose {
    case .signIn: 0..<2
    case .call: 0..<1
    case .secret: 0..<3
    }
  }

  /// What Enter does.
  var action: String {
    switch purpose {
    case .signIn: "sign in"
    case .call: "call"
    case .secret: "store"
    }
  }

  /// The line below the fields.
  var advice: String {
    switch (purpose, place) {
    case (.signIn, 0): "The client id that the provider assigned to the application."
    case (.signIn, 1): "For example https://login.microsoftonline.com/common"
    case (.signIn, 2): "Separated by spaces, for example User.Read; may be empty."
    case (.signIn, 3): "May be empty: the provider asks for it."
    case (.signIn, 4): "Space changes it. The code is entered on another device."
    case (.signIn, _): "Space changes it. It is the page that the provider shows first."
    case (.call, _):
      fields.count == 1
        ? "The secret is sent to its own service only."
        : "The token is sent to this URL. Scopes may be empty."
    case (.secret, 0): "The host or URL, for example https://git.example.com"
    case (.secret, 1): "Your user name at the service."
    case (.secret, 2): "A password or access token. It is stored encrypted and never shown."
    case (.secret, _): "May be empty. The end of the secret: 90d, or a date as 2027-01-31."
    }
  }
}

extension Form {
  init(_ order: SignInOrder) {
    self.init(
      title: order.account == nil ? "Sign in" : "Sign in again", purpose: .signIn(order),
      fields: [
        TextField("Client id", order.clientID), TextField("Authority", order.authority),
        TextField("Scopes", order.scopes), TextField("User name", order.loginHint),
      ])
  }

  /// A stored secret has no scopes.
  init(calling url: String, _ order: TokenOrder) {
    let isSecret = order.account.authorityType == .secret
    self.init(
      title: "Call an API as \(PlainText.escaped(order.account.shownName))",
      purpose: .call(order),
      fields: [TextField("URL", url)] + (isSecret ? [] : [TextField("Scopes", order.scopes)]))
  }

  /// A form for a new secret, or for another one in the place of a stored one.
  init(secret: HiddenText, replacing account: Account? = nil, in group: GroupName) {
    self.init(
      title: account == nil ? "Add a secret to \(group)" : "Replace a secret", purpose: .secret,
      fields: [
        TextField("Service", account?.service ?? ""),
        TextField("User name", account?.username ?? ""), TextField("Secret", hidden: secret),
        TextField("Expires", ""),
      ], place: account == nil ? 0 : 2)
  }
}
