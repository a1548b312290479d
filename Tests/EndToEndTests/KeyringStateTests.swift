import Foundation
import Testing
import TokenVaultTestSupport

/// Commands with the keyring in each of its states: they exit with the right status within about a
/// second and create nothing.
@Suite(.serialized, .timeLimit(.minutes(10))) struct KeyringStateTests {
  private static let commands: [([String], String)] = [
    (["list"], ""), (["token"], ""), (["switch", Person.bob.username], ""),
    (["add", "--group", Machine.group, "--service", "a.example", "--username", "a"], "secret"),
    (["import", "-"], Person.cache(.eve)), (["sign-out", Person.bob.username], ""),
    (["group", "rekey"], ""),
  ]

  private func expect(
    _ status: Int32, _ machine: Machine, _ place: Comment, saying text: String
  ) throws {
    let before = try machine.image()
    for (command, input) in Self.commands {
      let start = ContinuousClock.now
      let ran = try machine.run([built("tokenvault"), "--no-input"] + command, input: input)
      let time = ContinuousClock.now - start
      #expect(ran.status == status, "\(place), \(command): \(ran.errors)")
      #expect(ran.output.isEmpty)
      #expect(ran.errors.contains(text), "\(place), \(command): \(ran.errors)")
      // One second for the keyring; the rest allows for a busy machine.
      #expect(time < .seconds(3), "\(place), \(command)")
    }
    #expect(try machine.image() == before, place)
  }

  @Test func eachStateOfTheKeyringHasItsStatusAndChangesNothing() throws {
    let machine = try Machine()
    try machine.succeed("import", "-", input: Person.cache(.ada, .bob))
    try machine.session.lock()
    try expect(77, machine, "locked", saying: "The keyring is locked.")
    try machine.session.unlock()
    #expect(try machine.usernames() == [Person.ada.username, Person.bob.username])
    try machine.session.freezeDaemon()
    try expect(69, machine, "frozen", saying: "did not answer in time")
    try machine.session.thawDaemon()
    #expect(try machine.usernames() == [Person.ada.username, Person.bob.username])
    try machine.session.killDaemon()
    try expect(69, machine, "no service", saying: "No Secret Service is running")
  }

  /// Another keyring that takes the name on the bus has none of the keys.
  @Test func aServiceThatTakesTheNameIsGivenNoKeyAndChangesNothing() throws {
    let machine = try Machine()
    try machine.succeed("import", "-", input: Person.cache(.ada, .bob))
    try machine.session.replaceDaemon()
    try expect(77, machine, "another service", saying: "The keyring has no key for the group")
    let items = try machine.session.run([
      "sh", "-c", "secret-tool search --all xdg:schema dev.tokenvault.GroupKey 2>&1",
    ])
    #expect(items.isEmpty, "\(items)")
    try machine.session.restoreDaemon()
    #expect(try machine.usernames() == [Person.ada.username, Person.bob.username])
  }

  /// Of a locked group they show what is known without the key.
  @Test func statusAndShowNeitherAskNorUnlock() throws {
    let machine = try Machine()
    try machine.succeed("import", "-", input: Person.cache(.ada))
    try machine.succeed("group", "recovery-code")
    let copy = machine.home.appending(path: "copy").path
    try machine.succeed("group", "backup", Machine.group, copy)
    let open = try machine.succeed("group", "show")
    #expect(open.contains("locked         no") && open.contains("recovery code  yes, made "))
    #expect(open.contains("accounts       1") && open.contains(" ago, \(copy)"), "\(open)")
    try machine.session.lock()
    let before = try machine.image()
    let status = try machine.vault("status")
    #expect(status.status == 77 && status.errors.isEmpty, "\(status.errors)")
    #expect(status.output.contains("locked         yes"), "\(status.output)")
    #expect(status.output.contains("The keyring is locked. Nothing was changed.\nnext: "))
    #expect(!status.output.contains("ada") && !status.output.contains(copy))
    let show = try machine.succeed("group", "show")
    #expect(show.contains("locked         yes") && show.contains("recovery code  yes\n"))
    #expect(!show.contains("accounts") && !show.contains(copy))
    let json = try #require(
      try machine.run([built("tokenvault"), "status", "--json"]).json() as? [String: Any])
    #expect(json["locked"] as? Bool == true && json["accounts"] is NSNull)
    #expect(try machine.image() == before)
    #expect(try machine.vault("list", "--no-input").status == 77)
  }

  @Test(arguments: [
    (PrivateSecretService.State.locked, Int32(77)), (.noBus, 69), (.noService, 69),
    (.noCollection, 69),
  ]) func noGroupIsCreatedWithoutAKeyring(state: PrivateSecretService.State, status: Int32) throws {
    let machine = try Machine(state)
    for (command, input) in [
      (["add", "--group", Machine.group, "--service", "a.example", "--username", "a"], "secret"),
      (["import", "-"], Person.cache(.eve)), (["group", "create", "com.example.new"], ""),
    ] {
      let start = ContinuousClock.now
      let ran = try machine.run([built("tokenvault"), "--no-input"] + command, input: input)
      #expect(ran.status == status, "\(state), \(command): \(ran.errors)")
      #expect(ContinuousClock.now - start < .seconds(3))
      #expect(try !machine.image().keys.contains { $0.contains(".vault") })
    }
    let manifests = machine.home.appending(path: ".config/tokenvault")
    #expect(try Machine.image(of: manifests).isEmpty)
  }

  @Test func aMissingBusAddressIsNotGuessed() throws {
    let machine = try Machine()
    try machine.succeed("import", "-", input: Person.cache(.ada))
    let environment: [String: String?] = [
      "DBUS_SESSION_BUS_ADDRESS": nil, "XDG_RUNTIME_DIR": nil,
    ]
    let ran = try machine.vault("token", environment: environment)
    #expect(ran.status == 69 && ran.errors.contains("there is no session bus"), "\(ran.errors)")
  }
}
