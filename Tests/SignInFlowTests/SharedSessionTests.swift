import Synchronization
import Testing
import TokenVault
import TokenVaultCrypto
import TokenVaultModel
import TokenVaultTestSupport

@Suite(.timeLimit(.minutes(5))) struct SharedSessionTests {
  /// Deriving a key from a passphrase takes half a second, and a person has to type it.
  @Test func anApplicationAsksForThePassphraseOnce() async throws {
    let vault = try TestVault(
      manifest: GroupManifest(
        name: .universalStorage, title: "Passphrase", members: [], custody: .passphrase,
        deviceMode: .private))
    let prompts = Mutex<[VaultConfiguration.PassphrasePurpose]>([])
    var configuration = vault.configuration()
    configuration.passphrase = { purpose in
      prompts.withLock { $0.append(purpose) }
      return try SecretBytes(copying: Array("fake-passphrase".utf8))
    }
    let app = try PublicClientApplication(
      clientID: "11111111-2222-3333-4444-555555555555",
      authority: "https://login.microsoftonline.com/common", vault: configuration,
      platform: .system(environment: [:]))
    let cache = MSALCache(
      profiles: [
        .init(
          homeAccountID: "1.2", environment: "login.microsoftonline.com", realm: "2",
          localAccountID: "1", username: "ada@contoso.example", authorityType: "MSSTS")
      ])
    _ = try await app.vault.importCache(cache)
    let account = try await app.vault.account(username: "ada@contoso.example")
    var parameters = SignOutParameters()
    parameters.wipeAccount = true
    parameters.revokes = false
    // The sign-out runs on a thread of its own, beside the queue of the vault.
    #expect(try await app.signOut(account, parameters).isClean)
    #expect(try await app.accounts().accounts.isEmpty)
    #expect(
      prompts.withLock { $0 } == [.create(.universalStorage), .open(.universalStorage)])
  }
}
