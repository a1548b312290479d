import Foundation
import TokenVaultTestSupport

/// A home with an https server of git repositories (Peers/gitserver.py) and the helper in git's
/// configuration.
final class GitServerHome {
  let home: ShellHome

  /// Ada reaches the repositories of `ada` and `team`, Bob those of `bob` and `team`.
  init() throws {
    home = try CommandLineFixtures().home(SharedSecretService.get())
    let users = "ada:one:ada,team\nbob:two:bob,team\n"
    try Data(users.utf8).write(to: home.directory.appending(path: "users"))
    let program = try BuiltProduct("tokenvault").url.path
    let made = try home.run(
      """
      mkdir bin && ln -s \(program) bin/git-credential-tokenvault &&
      git config --global credential.helper "$HOME/bin/git-credential-tokenvault" &&
      git config --global user.name a && git config --global user.email a@example.com &&
      git config --global init.defaultBranch main &&
      for owner in ada bob team; do
        git init -q --bare $owner/code.git && git init -q work-$owner && cd work-$owner &&
        git commit -q --allow-empty -m "code of $owner" &&
        git push -q ../$owner/code.git HEAD:refs/heads/main && cd ..
      done
      """)
    guard made.status == 0 else { throw Unusable(errors: made.errors) }
  }

  struct Unusable: Error { let errors: String }

  /// Runs a script while the server is at `$U`, without its scheme at `$H`. Git never prompts.
  func run(_ script: String) throws -> ShellHome.Run {
    try home.run(
      """
      export GIT_TERMINAL_PROMPT=0 GIT_SSL_CAINFO="$HOME/cert.pem" no_proxy=127.0.0.1
      rm -f port log; touch log; mkfifo port; python3 -B '\(ClientHome.script("gitserver.py"))' & P=$!; trap 'kill $P' EXIT
      read N <port; H=127.0.0.1:$N; U=https://$H
      \(script)
      """)
  }

  /// Runs a script with the secrets of both people stored.
  func withSecrets(_ script: String) throws -> ShellHome.Run {
    try run(
      """
      echo one | tokenvault add --quiet --service $U --username ada >/dev/null
      echo two | tokenvault add --quiet --service $U --username bob >/dev/null
      \(script)
      """)
  }
}
