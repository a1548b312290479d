import Foundation
import Testing
import TokenVaultTestSupport

/// The program reads the provider's JSON, which a different implementation writes.
@Suite(.timeLimit(.minutes(10))) struct ProviderMessageTests {
  private static let ada = "ada@contoso.example"

  @Test func aNameWithEscapedCharactersIsStoredUnchanged() throws {
    let bench = try SignedInMachine()
    let name = #"Ada "the first" \ Countess /of/ Lovelace <&> é e\#u{301} 🧮"#
    let configuration = [
      "users": [
        [
          "username": Self.ada, "name": name, "oid": "00000000-0000-4000-8000-000000000ada",
          "tenant": "c0000000-0000-4000-8000-00000000c001",
        ]
      ]
    ]
    let json = String(decoding: try JSONEncoder().encode(configuration), as: UTF8.self)
    try bench.provider.change(json)
    try bench.signIn(Self.ada)
    let cache = try #require(
      try bench.machine.shell("\"$T\" export | cat").json() as? [String: [String: [String: Any]]])
    let stored = try #require(cache["Account"]?.values.first?["name"] as? String)
    #expect(Array(stored.utf8) == Array(name.utf8))
  }
}
