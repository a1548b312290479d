import Foundation
import TokenVaultTestSupport

/// A home with a keyring of its own, so that no other test's items are in it.
struct StoreHome {
  let service: PrivateSecretService
  private let home: ShellHome

  init(_ state: PrivateSecretService.State = .unlocked) throws {
    service = try PrivateSecretService(state)
    home = try CommandLineFixtures().home(service)
  }

  /// Runs a script. Three functions abbreviate what the tests do often.
  func run(_ script: String) throws -> ShellHome.Run {
    try home.run(
      """
      import() { tokenvault import --no-input --from "$@"; }
      export_to() { tokenvault export --no-input --to "$@"; }
      add() { printf %s "$1" | tokenvault add --quiet --service "$2" --username "$3" >/dev/null; }
      \(script)
      """)
  }

  /// Builds git's own helper for libsecret, which the package of git has as source only.
  func buildGitHelper() throws {
    let made = try run(
      """
      mkdir bin && $(command -v cc || command -v clang) -o bin/git-credential-libsecret $(pkg-config --cflags libsecret-1) \
        /usr/share/doc/git/contrib/credential/libsecret/git-credential-libsecret.c \
        $(pkg-config --libs libsecret-1)
      """)
    guard made.status == 0 else { throw Unusable(errors: made.errors) }
  }

  struct Unusable: Error { let errors: String }
}
