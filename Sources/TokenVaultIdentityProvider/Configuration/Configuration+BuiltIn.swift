extension Configuration {
  /// The scopes that an administrator consented to unless a client says otherwise.
  static let builtInConsent: Set = ["openid", "profile", "email", "offline_access", "User.Read"]
  /// The redirect URIs of a client that names none.
  static let builtInRedirectURIs =
    ["127.0.0.1", "[::1]", "localhost"].flatMap { ["http://\($0)/", "http://\($0)/callback"] }
    + ["msauth.com.example.tokenvault://auth"]

  private static let contoso = "c0000000-0000-4000-8000-00000000c001"
  private static let fabrikam = "f0000000-0000-4000-8000-00000000f001"
  private static let external = "c1a30000-0000-4000-8000-00000000c1a3"
  private static let b2c = "b2c00000-0000-4000-8000-00000000b2c1"

  static let builtInTenants = [
    "fabrikam.onmicrosoft.com": external, "contoso.example": contoso, "fabrikam.example": fabrikam,
    "fabrikamb2c.example": b2c,
  ]

  static let builtInExternalTenants = [
    external: ["fabrikam" + externalSuffix, "login.fabrikam.example"]
  ]

  static let builtInUsers = [
    User(
      username: "ada@contoso.example", name: "Ada Lovelace",
      objectID: "00000000-0000-4000-8000-000000000ada", tenant: contoso),
    User(
      username: "grace@contoso.example", name: "Grace Hopper",
      objectID: "00000000-0000-4000-8000-00000009ace0", tenant: contoso),
    User(
      username: "linus@fabrikam.example", name: "Linus Pauling",
      objectID: "00000000-0000-4000-8000-0000000011a5", tenant: fabrikam,
      guestIn: [contoso: "00000000-0000-4000-8000-0000000911a5"]),
    User(
      username: "alan@personal.example", name: "Alan Turing",
      objectID: "00000000-0000-0000-0000-00000000a1a9", tenant: consumers),
    User(
      username: "rosalind@customers.example", name: "Rosalind Franklin",
      objectID: "00000000-0000-4000-8000-00000b2c0001", tenant: b2c, isB2C: true),
    User(
      username: "emmy@customers.example", name: "Emmy Noether",
      objectID: "00000000-0000-4000-8000-0000c1a30001", tenant: external, isB2C: true),
  ]

  static let builtInClients = [
    Client(
      id: "11111111-2222-3333-4444-555555555555", name: "TokenVault",
      redirectURIs: builtInRedirectURIs,
      consented: builtInConsent.union(["https://fabrikamb2c.example/api/demo.read"])),
    Client(
      id: "fa000000-0000-4000-8000-000000000001", name: "Family One",
      redirectURIs: builtInRedirectURIs, family: "1", consented: builtInConsent),
    Client(
      id: "fa000000-0000-4000-8000-000000000002", name: "Family Two",
      redirectURIs: builtInRedirectURIs, family: "1", consented: builtInConsent),
  ]
}
