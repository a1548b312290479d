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
    #expect(files.map(\.path) == ["Sources/TokenVaultModel/CustomerHost.swift"])
  }
}
