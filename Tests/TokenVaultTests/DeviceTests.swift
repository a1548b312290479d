import Testing
import TokenVaultTestSupport
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVault

@Suite("Shared devices")
struct DeviceTests {
  private let vault: TestVault
  private let core: GroupSession

  init() throws {
    vault = try TestVault()
    core = vault.core()
  }

  private func share(_ json: String = #"{"deviceMode":"shared"}"#) throws {
    try SmallFile.write(Array(json.utf8), to: core.configuration.deviceFile)
  }

  @Test("the machine's file decides before the manifest, and must be right")
  func source() throws {
    #expect(try core.deviceInformation().mode == .private)
    #expect(try core.deviceInformation().source == nil)
    try share()
    #expect(try core.deviceInformation().mode == .shared)
    #expect(try core.deviceInformation().source == core.configuration.deviceFile)
    for bad in [#"{"deviceMode":"x"}"#, "{}", "[]", #"{"deviceMode":"shared","x":1}"#] {
      try share(bad)
      let error = #expect(throws: VaultError.self) { try core.importCache(Person.ada.cache()) }
      #expect(error?.name == "badManifest")
    }
  }

  @Test("it takes exactly one account, and its own again")
  func one() throws {
    try share()
    let two = #expect(throws: VaultError.self) {
      try core.importCache(Person.ada.cache() + Person.bob.cache())
    }
    #expect(two?.name == "sharedDeviceTakesOne")
    #expect(try core.accounts(.all).emptyReason == .groupDoesNotExist)
    try core.importCache(Person.ada.cache())
    try core.importCache(Person.ada.cache("-2"))
    let occupied = #expect(throws: VaultError.self) { try core.importCache(Person.bob.cache()) }
    guard case .sharedDeviceOccupied(let account)? = occupied else {
      Issue.record("\(String(describing: occupied))")
      return
    }
    #expect(account.username == "ada@contoso.example")
    let service = ServiceURL("git.example")
    let secret = #expect(throws: VaultError.self) {
      try core.addSecret(Redacted([1]), service: service, username: "u")
    }
    #expect(secret?.name == "sharedDeviceOccupied")
    #expect(try core.accounts(.all).accounts.count == 1)
    try core.signOut([Person.ada.id])
    try core.importCache(Person.bob.cache())
    #expect(try core.currentAccount().username == "Bob@fabrikam.example")
  }
}
