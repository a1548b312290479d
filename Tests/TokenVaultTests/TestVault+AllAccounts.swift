import TokenVaultTestSupport

@testable import TokenVault

extension TestVault {
  /// A group with Ada in two tenants, Bob, Eve under two policies, and Carl in the Chinese cloud.
  func sessionWithAllAccounts() throws -> GroupSession {
    let session = groupSession()
    let carl = Person(
      id: "44444444-4444-4444-8444-444444444444.\(Person.contoso)", username: "carl@cn.example",
      realm: Person.contoso, environment: "login.chinacloudapi.cn")
    var cache =
      carl.cache() + Person.eve(policy: "b2c_1_signin").cache()
      + Person.eve(policy: "B2C_1_Edit").cache() + Person.bob.cache() + Person.ada.cache()
    cache.profiles.append(
      Person.ada.profile(realm: Person.fabrikam, username: "ada_guest@fabrikam", local: "guest-oid")
    )
    try session.importCache(cache)
    return session
  }
}
