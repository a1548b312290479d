import Testing
import TokenVaultTestSupport
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVault

@Suite(.timeLimit(.minutes(5))) struct SharedDeviceTests {
  private let vault: TestVault
  private let session: GroupSession

  init() throws {
    vault = try TestVault()
    session = vault.groupSession()
  }

  private func share(_ json: String = #"{"deviceMode":"shared"}"#) throws {
    try SmallFile.write(Array(json.utf8), to: session.configuration.deviceFile)
  }

  @Test(
    .parity(
      "getDeviceInformationWithParameters:completionBlock:", "MSALDeviceInformation.deviceMode",
      "MSALDeviceModeDefault", "MSALDeviceModeShared"))
  func theDeviceFilePrecedesTheManifestAndMustBeValid() throws {
    #expect(try session.deviceInformation().mode == .private)
    #expect(try session.deviceInformation().source == nil)
    try share()
    #expect(try session.deviceInformation().mode == .shared)
    #expect(try session.deviceInformation().source == session.configuration.deviceFile)
    for bad in [#"{"deviceMode":"x"}"#, "{}", "[]", #"{"deviceMode":"shared","x":1}"#] {
      try share(bad)
      let error = #expect(throws: VaultError.self) { try session.importCache(Person.ada.cache()) }
      #expect(error?.name == "badManifest")
    }
  }

  @Test(.parity("MSALDeviceModeShared"))
  func aSharedDeviceAcceptsExactlyOneAccount() throws {
    try share()
    let two = #expect(throws: VaultError.self) {
      try session.importCache(Person.ada.cache() + Person.bob.cache())
    }
    #expect(two?.name == "sharedDeviceTakesOne")
    #expect(try session.accounts(.all).emptyReason == .groupDoesNotExist)
    try session.importCache(Person.ada.cache())
    try session.importCache(Person.ada.cache("-2"))
    let occupied = #expect(throws: VaultError.self) { try session.importCache(Person.bob.cache()) }
    guard case .sharedDeviceOccupied(let account)? = occupied else {
      Issue.record("\(String(describing: occupied))")
      return
    }
    #expect(account.username == "ada@contoso.example")
    let service = ServiceURL("git.example")
    let secret = #expect(throws: VaultError.self) {
      try session.addSecret(Redacted([1]), service: service, username: "u")
    }
    #expect(secret?.name == "sharedDeviceOccupied")
    #expect(try session.accounts(.all).accounts.count == 1)
    try session.signOut([Person.ada.id])
    try session.importCache(Person.bob.cache())
    #expect(try session.accounts(.all).usernames == ["Bob@fabrikam.example"])
  }
}
