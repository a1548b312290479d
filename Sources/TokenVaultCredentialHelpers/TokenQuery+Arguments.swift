import TokenVaultModel

extension TokenQuery {
  /// The options that name a token in the arguments of a helper.
  static let options = [
    "--scope": "scope", "--resource": "resource", "--account": "account", "--tenant": "tenant",
    "--client-id": "client-id",
  ]

  /// The token that the arguments name. A value of `--scope` may have several scopes.
  init(_ arguments: HelperArguments) throws(HelperUsageError) {
    self.init()
    for value in arguments.all("scope") {
      let names = value.split(separator: " ").map(String.init)
      guard !names.isEmpty, !value.hasControlCharacters else { throw .badValue("--scope") }
      scopes += names
    }
    resource = try arguments.single("resource")
    account = try arguments.single("account")
    tenant = try arguments.single("tenant")
    clientID = try arguments.single("client-id")
    guard scopes.isEmpty || resource == nil else {
      throw .words("Only one of --scope and --resource may be given.")
    }
  }

  /// Whether the caller says which token it wants.
  var namesToken: Bool { !scopes.isEmpty || resource != nil }
}
