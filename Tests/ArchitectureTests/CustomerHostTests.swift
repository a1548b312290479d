import Testing

/// The list of B2C and External ID hosts exists once: three copies of it once differed.
@Suite(.timeLimit(.minutes(5))) struct CustomerHostTests {
  @Test func onlyCustomerHostNamesTheHostsOfB2CAndExternalID() throws {
    let files = try Checkout.files(in: "Sources", endings: ["swift"]).filter { file in
      file.lines.contains { line in
        !line.text.drop { $0 == " " }.hasPrefix("//")
          && (line.text.contains("b2clogin") || line.text.contains("ciamlogin"))
      }
    }
    #expect(
      files.map(\.path) == [
        // The provider for tests shares nothing with the client.
        "Sources/TokenVaultIdentityProvider/Configuration/Configuration.swift",
        "Sources/TokenVaultModel/CustomerHost.swift",
      ])
  }
}
