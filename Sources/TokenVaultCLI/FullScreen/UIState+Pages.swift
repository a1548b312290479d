import TokenVault
import TokenVaultModel

/// Pages that are made of what the state knows already.
extension UIState {
  static let help = TextPage(
    "Keys",
    [
      "n          sign somebody in: browser, or a code for another device",
      "r          sign the chosen account in again",
      "s, Enter   make the chosen account the group's current one",
      "t          get a token: stored, or refreshed where it has ended",
      "f          get a new token, also where the stored one is good",
      "a          call an API with the account's token, and read the answer",
      "c          claims of the account, tenant by tenant",
      "o          sign out: one client, the account, or everybody",
      "d          whether this device is private or shared",
      "l          the whole log, newest first",
      "Esc        end what is being waited for; back to the list",
      "q, Ctrl-C  leave",
      "",
      "Arrows or j and k move; space and b, or PgDn and PgUp, turn pages.",
      "Tokens are never shown here: tokenvault token prints one.",
      "What other tools do with the group shows by itself.",
    ])

  static func text(_ device: DeviceInformation?) -> TextPage {
    guard let device else { return TextPage("Device", ["It is not known yet."]) }
    let meaning =
      device.mode == .shared
      ? [
        "Several people use this device one after the other. The group takes one account, and a "
          + "sign-out is one for all tools."
      ] : ["One person uses this device. The group takes any number of accounts."]
    return TextPage(
      "Device",
      ["Mode    \(device.mode.rawValue)"]
        + ["Said by \(device.source ?? "the shipped manifest")", ""] + meaning)
  }

  static func claims(of account: Account) -> TextPage {
    var lines: [String] = []
    for profile in account.tenantProfiles {
      if !lines.isEmpty { lines.append("") }
      let home = profile.isHomeTenantProfile ? "  (home tenant)" : ""
      lines.append("Tenant  \(profile.tenantID)\(home)")
      if !profile.identifier.isEmpty { lines.append("Id      \(profile.identifier)") }
      if !profile.username.isEmpty { lines.append("Name    \(profile.username)") }
      lines += JSONText.lines(profile.claimsJSON) ?? ["No claims are stored."]
    }
    if lines.isEmpty { lines = ["The account has no tenant profile."] }
    return TextPage("Claims of \(account.shownName)", lines)
  }

  static func signOutMenu(_ account: Account) -> Menu {
    let name = PlainText.escaped(account.shownName)
    var items = [
      Menu.Item(
        label: "\(name), for every tool of the group",
        order: .signOut(SignOutOrder(account: account)))
    ]
    items += account.clientIDs.map { client in
      Menu.Item(
        label: "\(name), only for the client \(PlainText.escaped(client))",
        order: .signOut(SignOutOrder(account: account, clientID: client)))
    }
    items.append(
      Menu.Item(label: "every account of the group", order: .signOut(SignOutOrder())))
    return Menu(title: "Sign out", items: items)
  }
}

/// JSON for people.
enum JSONText {
  /// Nil where it is no JSON.
  static func lines(_ bytes: [UInt8]) -> [String]? {
    guard !bytes.isEmpty else { return nil }
    do {
      let pretty = try JSONValue(parsing: bytes).prettyBytes
      return String(decoding: pretty.dropLast(), as: UTF8.self).split(
        separator: "\n", omittingEmptySubsequences: false
      ).map(String.init)
    } catch { return nil }
  }
}
