import Foundation
import Testing
import TokenVaultKeyCustody
import TokenVaultTestSupport

/// The commands that an error about the keyring offers work: each is taken from the message and run.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct KeyringWaysTests {
  /// A home and its session, which ends with the last reference.
  private final class Place {
    let service: PrivateSecretService
    let home: ShellHome

    init(
      _ state: PrivateSecretService.State, _ program: SecretServiceProgram = .gnomeKeyring
    ) throws {
      service = try PrivateSecretService(state, program: program)
      home = try CommandLineFixtures().home(service)
    }

    func run(_ command: String) throws -> ShellHome.Run { try home.run(command) }
  }

  /// Neither a bus nor a desktop, as in a container or a cron job.
  private static let bare = "env -i HOME=\"$HOME\" PATH=\"$PATH\" "
  private static let add = "echo pat | tokenvault add --service git.example --username ada"

  private func next(_ run: ShellHome.Run) throws -> String {
    try #require(run.errors.firstMatch(of: /\nnext: (.*)\n/), "\(run.errors)").output.1.description
  }

  @Test func withoutABusAndATerminalAKeyFileIsOffered() throws {
    let place = try Place(.noBus)
    let run = try place.run("\(Self.bare) sh -c '\(Self.add)'")
    #expect(run.status == 69)
    #expect(run.errors.contains("there is no session bus. Nothing was changed.\n"))
    #expect(run.errors.contains("A new key is kept in the Secret Service"), "\(run.errors)")
    #expect(run.errors.hasSuffix("\nthen run the command again\n"), "\(run.errors)")
    let made = try next(run)
    #expect(made.hasPrefix("tokenvault group create dev.tokenvault.shared --custody key-file "))
    for command in [made, Self.add] {
      let run = try place.run("\(Self.bare) sh -c '\(command)'")
      #expect(run.status == 0, "\(command): \(run.errors)")
    }
    #expect(try place.run("\(Self.bare) tokenvault token --service git.example").output == "pat\n")
    // The command that makes a group takes the options itself.
    let create = "tokenvault group create com.example.team"
    let refused = try place.run("\(Self.bare) \(create)")
    let options = try next(refused).components(separatedBy: "run the command again with ")
    try #require(options.count == 2, "\(refused.errors)")
    let again = try place.run("\(Self.bare) sh -c '\(create) \(options[1])'")
    #expect(again.status == 0, "\(again.errors)")
  }

  @Test func onATerminalAPassphraseIsOfferedAndThenToUnlockTheGroup() throws {
    let place = try Place(.noBus)
    let refused = try TmuxTerminal("\(Self.bare) sh -c '\(Self.add)'", in: place.home, columns: 200)
    let screen = try refused.wait(for: "ended with 69")
    let made = "tokenvault group create dev.tokenvault.shared --custody passphrase"
    #expect(screen.contains("next: \(made)\nthen run the command again"))
    func type(_ command: String, _ prompts: String...) throws -> String {
      let terminal = try TmuxTerminal("\(Self.bare) \(command)", in: place.home, columns: 200)
      for prompt in prompts {
        try terminal.wait(for: prompt)
        try terminal.type("correct horse")
        try terminal.press("Enter")
      }
      return try terminal.wait(for: "ended with 0")
    }
    _ = try type(made, "New passphrase", "Repeat the passphrase")
    let unlock = "tokenvault group unlock dev.tokenvault.shared --for 8h"
    let asked = "Passphrase for dev.tokenvault.shared:"
    #expect(try type("sh -c '\(Self.add)'", asked).contains(unlock))
    // It is offered once.
    let token = "tokenvault token --service git.example"
    #expect(try !type(token, asked).contains("unlock"))
    _ = try type(unlock, asked)
    #expect(try place.run("\(Self.bare) \(token)").output == "pat\n")
    #expect(try place.run("\(Self.bare) tokenvault group lock dev.tokenvault.shared").status == 0)
    #expect(try place.run("\(Self.bare) \(token)").status == 77)
    #expect(
      try place.run(
        "tokenvault group delete dev.tokenvault.shared --yes; ls -A .local/share/tokenvault/groups"
      )
      .output.contains("unlock") == false)
  }

  @Test func aGroupOfAKeyringIsOfferedItsKeyringAndItsRecoveryCode() throws {
    let place = try Place(.unlocked)
    let made = try place.run(
      "tokenvault group create com.example.team && \(Self.add) --group com.example.team "
        + "&& tokenvault group recovery-code com.example.team >code")
    #expect(made.status == 0, "\(made.errors)")
    let token = "tokenvault token --service git.example --group com.example.team"
    let run = try place.run("\(Self.bare) \(token)")
    #expect(run.status == 69)
    let hint = try next(run)
    #expect(hint.hasPrefix("dbus-run-session -- bash -c 'read -rsp \"Keyring password: \" p; "))
    let rekey = try #require(
      run.errors.firstMatch(of: /\nor with its recovery code: (.*)\n/), "\(run.errors)"
    ).output.1
    let moved = try place.run("\(Self.bare) sh -c '\(rekey) <code'")
    // The former key is in a keyring that is not there.
    #expect(moved.status == 69 && moved.output.contains("has a new key, custody key-file"))
    #expect(
      moved.errors.contains(
        "The former key of the group com.example.team is still in the Secret Service: there is no "
          + "session bus."))
    #expect(try place.run("\(Self.bare) \(token)").output == "pat\n")
    // In a session with the keyring, the command that the message names deletes it.
    let last = try next(moved)
    #expect(last == "tokenvault list --group com.example.team")
    #expect(moved.errors.hasSuffix("\nin a session with that keyring; it tries again\n"))
    #expect(try place.run(last).status == 0)
    let doctor = try place.run("tokenvault doctor")
    #expect(!doctor.output.contains("not finished"), "\(doctor.output)")
  }

  /// The password of a keyring without a desktop. A line end would be part of it.
  @Test(arguments: [
    (PrivateSecretService.State.locked, 77, "The keyring is locked."),
    (.noService, 69, "No Secret Service is running on the session bus"),
    (.noCollection, 69, "The Secret Service has no default collection."),
  ])
  func theKeyringIsUnlockedByTheOfferedCommand(
    state: PrivateSecretService.State, status: Int32, text: String
  ) throws {
    let place = try Place(state)
    let run = try place.run(Self.add)
    #expect(run.status == status && run.errors.contains(text), "\(run.errors)")
    let unlock = try next(run)
    #expect(!run.errors.contains("apt-get"))
    #expect(
      run.errors.contains(
        "\nthen run the command again. If the keyring is still locked, the password was wrong.\n"),
      "\(run.errors)")
    // The daemon stays, and must not keep the descriptors of the test. The keyrings of the session
    // are in its home.
    try Data("HOME='\(place.service.directory.path)/home' \(unlock)\n".utf8)
      .write(to: place.home.directory.appending(path: "unlock"))
    let opened = try place.run(
      "echo \(PrivateSecretService.password) | python3 -c 'import subprocess, sys; "
        + "sys.exit(subprocess.run([\"sh\", \"unlock\"], close_fds=True).returncode)'")
    #expect(opened.status == 0, "\(unlock): \(opened.errors)")
    let again = try place.run(Self.add)
    #expect(again.status == 0, "\(again.errors)")
  }

  @Test func anInstallationIsOfferedOnlyWhereItIsPossibleAndMissing() throws {
    let place = try Place(.noService)
    let program = "$(dirname $(command -v tokenvault))"
    func next(_ programs: String) throws -> String {
      let links = "rm -rf bin; mkdir bin; for p in \(programs); do ln -s /bin/true bin/$p; done; "
      return try self.next(
        place.run("\(links)PATH=$PWD/bin:\(program) tokenvault import cache.json"))
    }
    #expect(try next("apt-get") == "sudo apt-get install gnome-keyring")
    #expect(try next("dnf").hasPrefix("install gnome-keyring or another Secret Service with the "))
    #expect(try next("apt-get keepassxc") == "start and unlock keepassxc")
    #expect(try !next("apt-get gnome-keyring-daemon").contains("apt-get"))
  }

  /// `doctor` says what the command itself would say.
  @Test(arguments: [
    PrivateSecretService.State.noBus, .noService, .noCollection, .locked,
  ])
  func doctorOffersTheWaysOfTheCommands(state: PrivateSecretService.State) throws {
    let place = try Place(state)
    let bare = state == .noBus ? Self.bare : ""
    let run = try place.run("\(bare) tokenvault import cache.json")
    let doctor = try place.run("\(bare) tokenvault doctor")
    #expect(doctor.status == run.status, "\(doctor.output)")
    #expect(try doctor.output.contains("next: \(next(run))\n"), "\(run.errors)\(doctor.output)")
    #expect(!doctor.output.contains("Nothing was changed"), "\(doctor.output)")
  }

  @Test func onADesktopThePasswordIsTypedThere() throws {
    let place = try Place(.locked)
    let asked = try place.run("DISPLAY=:99 tokenvault import cache.json --no-input")
    #expect(asked.status == 77)
    #expect(try next(asked) == "run the command again without --no-input")
  }

  @Test(
    arguments: [
      (SecretServiceProgram.kWallet, "open the wallet in KWalletManager"),
      (.keePassXC, "unlock the database in KeePassXC"),
    ].filter { SecretServiceProgram.tested.contains($0.0) })
  func theProgramThatIsTheServiceIsNamed(program: SecretServiceProgram, way: String) throws {
    let place = try Place(.locked, program)
    let asked = try place.run("tokenvault import cache.json --no-input")
    #expect(asked.status == 77)
    #expect(try next(asked) == way)
  }
}
