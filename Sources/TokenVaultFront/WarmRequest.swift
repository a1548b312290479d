import TokenVault
import TokenVaultModel

/// The options of `token` that scripts use, in spellings that the full program accepts too.
struct WarmRequest {
  var token = TokenRequest(scopes: ScopeSet([]))
  var selection = SelectionRequest()
  private var scopes = ""

  /// Returns nil for any other form, and for any other command.
  init?(_ arguments: [String]) {
    guard arguments.first == "token" else { return nil }
    var rest = arguments.dropFirst()
    while let name = rest.popFirst() {
      // Nothing is asked for here.
      if name == "--no-input" { continue }
      guard let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("-"),
        take(value, for: name)
      else { return nil }
    }
    guard scopes.isEmpty || token.resource == nil else { return nil }
    token.scopes = ScopeSet(target: scopes)
  }

  private mutating func take(_ value: String, for name: String) -> Bool {
    switch name {
    case "--scope": scopes += " " + value
    case "--resource": token.resource = value
    case "--client-id": token.clientID = value
    case "--tenant": token.tenantID = value
    case "--account": selection.account = AccountReference(parsing: value)
    case "--group", "-g": selection.group = value
    case "--vault-dir": selection.vaultDirectory = value
    case "--min-validity":
      guard let validity = Duration(value) else { return false }
      token.minimumValidity = validity.seconds
    default: return false
    }
    return true
  }
}
