import Foundation
import Testing
import TokenVault
import TokenVaultTestSupport
import TokenVaultModel

@Suite struct ChangesTests {
  // The tests that run at the same time block the threads on which this one has to continue.
  @Test(.timeLimit(.minutes(15)))
  func aWatchingToolSeesASwitchAndASignOutByAnotherProcess() async throws {
    let machine = try Machine()
    try machine.succeed("import", "-", input: Person.cache(.ada, .bob))
    var configuration = try #require(
      VaultConfiguration(
        group: .universalStorage, environment: machine.session.environment))
    configuration.isAdministrator = true
    let vault = Vault(configuration)
    #expect(try await vault.accounts().accounts.count == 2)
    var changes = vault.changes().makeAsyncIterator()
    // The watch begins when the iterator is made; the state to compare with is taken by the first
    // call.
    let mine = Task { @Sendable in
      var changes = vault.changes().makeAsyncIterator()
      return try await changes.next()
    }
    let script = "for i in 1 2 3 4 5; do $T switch \(Person.bob.username) >/dev/null; "
    let switching = try machine.start(
      ["/bin/bash", "-c", script + "$T switch \(Person.ada.username) >/dev/null; done"],
      environment: ["T": try built("tokenvault")])
    #expect(try await changes.next() != nil)
    #expect(try await mine.value != nil)
    #expect(try switching.wait().status == 0)
    #expect(try await vault.currentAccount().username == Person.ada.username)
    let erasing = try machine.start(
      [built("tokenvault"), "sign-out", Person.bob.username])
    while try await vault.accounts().accounts.count == 2 { _ = try await changes.next() }
    #expect(try erasing.wait().status == 0)
    #expect(try await vault.accounts().accounts.map(\.username) == [Person.ada.username])
  }
}
