import Foundation
import Testing
import TokenVaultTestSupport
import TokenVaultModel

@testable import TokenVault

@Suite(.timeLimit(.minutes(5))) struct VaultConfigurationTests {
  private func make(_ environment: [String: String]) throws(VaultError) -> VaultConfiguration {
    try VaultConfiguration(environment: environment)
  }

  @Test(
    .parity(
      "MSALPublicClientApplicationConfig.cacheConfig", "MSALCacheConfig.defaultKeychainSharingGroup"
    ))
  func directoriesFollowTheXDGSpecification() throws {
    let plain = try make(["HOME": "/h"])
    #expect(plain.directory == "/h/.local/share/tokenvault")
    #expect(
      plain.groupPath
        == "/h/.local/share/tokenvault/groups/com.microsoft.identity.universalstorage.vault")
    #expect(
      plain.manifestDirectories == [
        "/h/.config/tokenvault/keychain-groups", "/etc/tokenvault/keychain-groups",
      ])
    let moved = try make(
      ["HOME": "/h", "XDG_DATA_HOME": "/d", "XDG_CONFIG_HOME": "relative"])
    #expect(moved.directory == "/d/tokenvault")
    #expect(moved.manifestDirectories[0] == "/h/.config/tokenvault/keychain-groups")
    #expect(try make(["HOME": "/h", "TOKENVAULT_HOME": "/t"]).directory == "/t")
    for environment in [[:], ["HOME": "relative"], ["XDG_DATA_HOME": "/d"]] {
      let error = #expect(throws: VaultError.self) { try make(environment) }
      #expect(error?.name == "homeNotSet")
    }
  }

  @Test func theSessionBusIsTheNamedOneOrTheUsers() throws {
    #expect(try make(["HOME": "/h"]).sessionBusAddress == nil)
    let user = try make(["HOME": "/h", "XDG_RUNTIME_DIR": "/run/user/1"])
    #expect(user.sessionBusAddress == "unix:path=/run/user/1/bus" && !user.allowsPrompt)
    let named = try make([
      "HOME": "/h", "XDG_RUNTIME_DIR": "/r", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/b",
      "DISPLAY": ":0",
    ])
    #expect(named.sessionBusAddress == "unix:path=/b" && named.allowsPrompt)
  }

  @Test func aSystemCredentialIsTheKeyFileOfItsGroup() throws {
    let vault = try TestVault()
    let environment = ["HOME": "/h", "CREDENTIALS_DIRECTORY": vault.home.path]
    #expect(try make(environment).keyFile == nil)
    let file = vault.home.appending(path: "tokenvault-\(GroupName.universalStorage)")
    try Data("x".utf8).write(to: file)
    #expect(try make(environment).keyFile == file.path)
  }
}
