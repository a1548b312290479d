import TokenVault
import TokenVaultModel

/// Menus and questions made from the state.
extension UIState {
  static func menu(scopes: [String], _ order: UIOrder) -> Menu {
    Menu(
      title: "There are several tokens. Choose the scopes.",
      items: scopes.map { scope in
        Menu.Item(
          label: PlainText.escaped(scope), choice: .order(order.changed { $0.scopes = scope }))
      })
  }

  static func menu(clients: [String], _ order: UIOrder) -> Menu {
    Menu(
      title: "Several clients have tokens. Choose one.",
      items: clients.map { client in
        Menu.Item(
          label: PlainText.escaped(client), choice: .order(order.changed { $0.clientID = client }))
      })
  }

  func menu(_ groups: [FoundGroup]) -> Menu {
    Menu(
      title: "Show another group",
      items: groups.map { found in
        Menu.Item(
          label: (found.name == group ? "* " : "  ") + found.name.description
            + (found.hasFile ? "" : "  (empty)"), choice: .group(found.name))
      }, place: groups.firstIndex { $0.name == group } ?? 0)
  }

  static func signOutMenu(_ account: Account) -> Menu {
    let name = PlainText.escaped(account.shownName)
    func item(_ label: String, _ order: SignOutOrder) -> Menu.Item {
      Menu.Item(label: label, choice: .order(.signOut(order)))
    }
    return Menu(
      title: "Sign out",
      items: [item("\(name), for every client in the group", SignOutOrder(account: account))]
        + account.clientIDs.map { client in
          item(
            "\(name), only for the client \(PlainText.escaped(client))",
            SignOutOrder(account: account, clientID: client))
        } + [item("every account in the group", SignOutOrder())])
  }

  /// The question before a secret is removed.
  static func removal(of account: Account) -> Confirmation {
    let name = PlainText.escaped(account.shownName)
    return Confirmation(
      question:
        "Remove the secret for \(name) at \(PlainText.escaped(account.service ?? account.environment))?",
      order: .signOut(SignOutOrder(account: account)))
  }
}
