import Foundation
import Testing
import TokenVaultTestSupport

/// `doctor --fix` corrects what carries no risk, and nothing else.
@Suite(.timeLimit(.minutes(3)))
struct DoctorFixTests {
  /// Everything at once; keys, tokens and settings keep every byte.
  @Test func doctorFixesWhatIsSafeAndPrintsEachThing() throws {
    let service = try PrivateSecretService(.unlocked)
    let home = try CommandLineFixtures().home(service)
    let prepared = try home.run(
      """
      tokenvault import one.json >/dev/null 2>&1 && mkdir -p .local/share/applications &&
      tokenvault group recovery-code >code 2>/dev/null || exit 1
      V=.local/share/tokenvault; mkdir -p .config/tokenvault/keychain-groups
      touch -d '2 minutes ago' $V/a.json.4194305.new .config/tokenvault/keychain-groups/b.json.4194305.new
      chmod 600 $V/a.json.4194305.new .config/tokenvault/keychain-groups/b.json.4194305.new
      touch $V/groups/com.microsoft.identity.universalstorage.vault.restored
      # Files of the user, one of them where the link of the manifests' directory leads.
      mkdir dotfiles && mv .config/tokenvault/keychain-groups dotfiles/groups &&
      ln -s "$PWD/dotfiles/groups" .config/tokenvault/keychain-groups
      touch -d '2 minutes ago' $V/thesis.4194305.new dotfiles/a.json.4194305.new
      chmod 600 dotfiles/a.json.4194305.new $V/thesis.4194305.new
      printf 'Name=TokenVault sign-in (m.a)\\nExec=/gone redirect %%u\\n' \
        >.local/share/applications/tokenvault-m.a.desktop
      printf 'Name=Other\\nExec=/gone redirect %%u\\n' >.local/share/applications/tokenvault-m.b.desktop
      chmod 755 $V; echo '{"defaultGroup":"com.microsoft.identity.universalstorage"}' >.config/tokenvault/config.json
      chmod 666 .config/tokenvault/config.json
      """)
    try #require(prepared.status == 0, "\(prepared.errors)")
    let run = try home.run("tokenvault doctor --fix")
    let fixed = run.output.split(separator: "\n").filter { $0.hasPrefix("         fixed: ") }
    #expect(fixed.count == 5, "\(run.output)")
    #expect(!run.changes.contains { $0.contains("thesis") || $0.contains("dotfiles/a") })
    for change in run.changes {
      #expect(
        change.hasSuffix(".new") || change.hasSuffix(".restored")
          || change.hasSuffix("/tokenvault-m.a.desktop"),
        "\(change)")
    }
    // Other users may have changed this file, so its owner has to look at it.
    #expect(run.status == 78)
    #expect(run.output.contains(#/FAILING[^\n]*config.json[^\n]*\n *next: ls -l /#))
    let again = try home.run("chmod 600 .config/tokenvault/config.json; tokenvault doctor --fix")
    #expect(again.status == 0, "\(again.output)")
    #expect(!again.output.contains(#/fixed|warning|FAILING/#), "\(again.output)")
    #expect(try home.run("tokenvault token").output == "at-ada\n")
  }
}
