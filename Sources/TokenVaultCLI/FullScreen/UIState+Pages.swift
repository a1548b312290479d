import TokenVault
import TokenVaultModel

/// Pages made from the state.
extension UIState {
  static let help = TextPage(
    "Keys",
    [
      "n          sign in, in the browser or with a code on another device",
      "r          sign the selected account in again; replace a secret",
      "s, Enter   make the selected account the group's current account",
      "t          get a token: stored, or refreshed if it has expired; details of a secret",
      "f          get a new token, even if the stored one is valid",
      "a          call an API with the account's token, and show the response",
      "c          show the account's claims, by tenant",
      "o          sign out one client, the account, or every account; remove a secret",
      "+          add a password or access token for a service",
      "g          show another group",
      "/          search: the list narrows while you type",
      "             Enter keeps the matches, and other keys work on them;",
      "             n and N then go to the next and previous match;",
      "             Esc ends the search and leaves its account selected",
      "d          show whether this device is private or shared",
      "l          show the whole log, newest first",
      "Esc        cancel what is running; back to the list",
      "q, Ctrl-C  leave",
      "",
      "Arrow keys or j and k move; PgDn and PgUp, or space and b, turn pages; Home",
      "and End go to the ends.",
      "Tokens are never shown here; tokenvault token prints one.",
      "Changes by other tools appear automatically.",
    ])

  static func text(_ device: DeviceInformation?) -> TextPage {
    guard let device else { return TextPage("Device", ["The device mode has not been read yet."]) }
    let meaning =
      device.mode == .shared
      ? [
        "Several people use this device one after the other. The group accepts one account, and a "
          + "sign-out applies to all tools."
      ] : ["One person uses this device. The group accepts any number of accounts."]
    return TextPage(
      "Device",
      ["Mode    \(device.mode.rawValue)"]
        + ["Set by  \(device.source ?? "the shipped manifest")", ""] + meaning)
  }

  /// What is known about a stored secret, without the secret.
  func details(of account: Account) -> TextPage {
    let isTwin = list.index(of: account.identity).map(accounts.isTwin) ?? false
    let name = PlainText.shellWord(isTwin ? account.selector : account.username)
    return TextPage(
      "Secret",
      [
        "Service    \(account.service ?? account.environment)", "User name  \(account.username)",
        "",
        "The secret itself is not shown here. This command prints it:",
        Failure.command("token --account \(name)", group),
      ])
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
}
