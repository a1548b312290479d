import Foundation
import Testing
import TokenVaultTestSupport

/// Git with the token of an account that is signed in at the stand-in for GitHub.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct MintedTokenTests {
  private let home: SignInHome
  private let forges: Forges

  init() throws {
    home = try SignInHome()
    forges = try Forges()
    let host = String(forges.github.dropFirst("http://".count))
    try home.provide("github", try forges.githubFile(["credentialHosts": [host]]))
    let repository = home.home.directory.appending(path: "hello.git").path
    let made = try run(
      """
      mkdir bin && ln -s "$(command -v tokenvault)" bin/git-credential-tokenvault &&
      git config --global credential.helper "$HOME/bin/git-credential-tokenvault" &&
      git init -q --bare -b main hello.git && git init -q work && cd work &&
      git -c user.name=o -c user.email=o@example.com commit -q --allow-empty -m one &&
      git push -q ../hello.git HEAD:refs/heads/main && cd ../hello.git && git update-server-info
      """)
    #expect(made.status == 0, "\(made.errors)")
    try forges.set(["repository": repository, "expiring": true])
    #expect(
      try run("tokenvault sign-in github --client-id \(Forges.client)").status == 0)
  }

  private func run(_ script: String) throws -> ShellHome.Run {
    let host = forges.github.dropFirst("http://".count)
    return try home.run(
      """
      export GIT_TERMINAL_PROMPT=0
      ask() { { printf 'protocol=http\\nhost=\(host)\\n'; printf '%s\\n' "$@"; echo; } >request; }
      get() { ask "$@"; git credential fill <request; }
      \(script)
      """)
  }

  @Test func aTokenOfTheSignedInAccountServesGit() throws {
    let run = try run(
      "git clone -q \(forges.github)/octocat/hello.git copy && git -C copy log --format=%s")
    #expect(run.output == "one\n", "\(run.errors)")
    // Git stored what had worked; the vault has it already.
    let list = try self.run("tokenvault list --all-groups --json")
    #expect(!list.output.contains("\"secret\""), "\(list.output)")
    #expect(try self.run("get | sed -n 's/^username=//p'").output == "x-access-token\n")
  }

  @Test func aRefusedTokenSignsNobodyOut() throws {
    let run = try run(
      """
      first=$(get | sed -n 's/^password=//p'); test "$first" = "$(tokenvault token)" && echo same
      ask username=x-access-token "password=$first"; git credential reject <request
      second=$(get | sed -n 's/^password=//p'); test "$first" = "$second" || echo new
      ask username=x-access-token "password=$first"; git credential reject <request
      test "$second" = "$(tokenvault token)" && echo kept
      """)
    #expect(run.output == "same\nnew\nkept\n", "\(run.errors)")
  }

  @Test func anotherHostGetsNoToken() throws {
    let run = try run(
      """
      for host in \(forges.stranger.dropFirst("http://".count)) localhost github.com; do
        printf 'protocol=http\\nhost=%s\\n\\n' "$host" | git credential fill
        printf 'protocol=https\\nhost=%s\\n\\n' "$host" | git credential fill
      done
      """)
    #expect(run.output.isEmpty, "\(run.output)")
  }

  @Test func aStoredSecretComesBeforeTheToken() throws {
    let run = try run(
      """
      echo pat | tokenvault add --quiet --service \(forges.github) --username octocat >/dev/null
      get | sed -n 's/^password=//p'
      """)
    #expect(run.output == "pat\n", "\(run.errors)")
  }

  /// The provider's file allows its tokens at these hosts only.
  @Test func aProviderThatAllowsTheHostToNobodySendsNothing() throws {
    let host = String(forges.github.dropFirst("http://".count))
    try home.provide(
      "github", try forges.githubFile(["credentialHosts": [host], "apiHosts": []]))
    let run = try run("get")
    #expect(run.output.isEmpty && run.errors.contains("Nothing was sent"), "\(run.errors)")
  }
}
