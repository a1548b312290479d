import TokenVaultModel

extension ScopeSet {
  static let graph = "https://graph.microsoft.com"
  private static let ofSignIn: Set<String> = ["openid", "profile", "email", "offline_access"]

  /// Whether a token with these scopes is for `resource`. Microsoft Entra grants the scopes of
  /// Microsoft Graph without the resource as a prefix; an unprefixed scope of another provider
  /// belongs to that provider itself.
  func cover(resource: String, isEntra: Bool) -> Bool {
    let resource = resource.hasSuffix("/") ? String(resource.dropLast()) : resource
    let folded = resource.lowercased()
    return scopes.contains { scope in
      let scope = scope.lowercased()
      if scope.hasPrefix(folded + "/") { return true }
      return isEntra && folded == Self.graph && !scope.contains("/" as Character)
        && !Self.ofSignIn.contains(scope)
    }
  }
}

extension ScopeSet {
  /// The resources that scopes name: `https://HOST/PATH` of `https://HOST/PATH/NAME`.
  var resources: [String] {
    scopes.compactMap { scope in
      guard let slash = scope.lastIndex(of: "/"), scope.contains("://") else { return nil }
      let resource = scope[..<slash]
      return resource.hasSuffix(":/") ? nil : String(resource)
    }
  }

  /// Whether a scope names no resource and is none of a sign-in.
  var hasBareScopes: Bool {
    scopes.contains { !$0.contains("/" as Character) && !Self.ofSignIn.contains($0.lowercased()) }
  }
}
