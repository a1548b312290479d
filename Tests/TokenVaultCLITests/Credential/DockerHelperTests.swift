import Foundation
import Testing
import TokenVaultTestSupport

/// The helper with the real docker command, without an engine, and a registry on loopback.
@Suite(.timeLimit(.minutes(5)))
struct DockerHelperTests {
  private let home: ShellHome

  init() throws { home = try CommandLineFixtures().home(SharedSecretService.get()) }

  /// Runs a script with the registry at `$R` and the helper installed.
  private func run(_ script: String) throws -> ShellHome.Run {
    try home.run(
      """
      export PATH="$HOME/.local/bin:$PATH" DOCKER_HOST=unix:///nowhere
      rm -f port log; touch log; mkfifo port; python3 -B '\(ClientHome.script("registry.py"))' & P=$!; trap 'kill $P' EXIT
      read N <port; R=127.0.0.1:$N
      tokenvault credential install docker >install.log || cat install.log
      \(script)
      """)
  }

  @Test func aLoginStoresTheSecretAndALogoutRemovesIt() throws {
    let run = try run(
      """
      echo one | docker login -u ada --password-stdin $R 2>/dev/null
      tokenvault token --service $R; grep -c one .docker/config.json
      docker-credential-tokenvault list | sed "s/$N/N/"
      docker manifest inspect --insecure $R/team/image >/dev/null && sort -u log
      docker logout $R >/dev/null; tokenvault list -g dev.tokenvault.shared --json
      """)
    #expect(
      run.output == """
        Login Succeeded
        one
        0
        {"https://127.0.0.1:N":"ada"}
        ada:one
        []

        """, "\(run.errors)")
  }

  @Test func aWrongPasswordIsNotStored() throws {
    let run = try run(
      """
      echo wrong | docker login -u ada --password-stdin $R 2>/dev/null || echo refused
      tokenvault list --all-groups --json
      """)
    #expect(run.output == "refused\n[]\n", "\(run.errors)")
  }

  /// Before a build, docker hands every listed credential to the engine.
  @Test func aSecretThatDockerDidNotStoreIsNotListed() throws {
    let run = try run(
      """
      echo s | tokenvault add --quiet --service https://git.example.com --username ada >/dev/null
      docker-credential-tokenvault list
      printf git.example.com | docker-credential-tokenvault get
      """)
    #expect(
      run.output == """
        {}
        {"Secret":"s","ServerURL":"git.example.com","Username":"ada"}

        """, "\(run.errors)")
  }

  @Test func aLogoutLeavesTheSecretOfAnotherTool() throws {
    let run = try run(
      """
      echo s | tokenvault add --quiet --service http://$R --username ada >/dev/null
      docker logout $R >/dev/null 2>&1; tokenvault token --service http://$R
      """)
    #expect(run.output == "s\n", "\(run.errors)")
  }

  @Test func aSecondLoginReplacesTheFirst() throws {
    let run = try run(
      """
      for name in ada bob; do
        printf '{"ServerURL": "r.example.com", "Username": "%s", "Secret": "s"}' $name |
          docker-credential-tokenvault store
      done
      docker-credential-tokenvault list; printf r.example.com | docker-credential-tokenvault get
      """)
    #expect(
      run.output == """
        {"https://r.example.com":"bob"}
        {"Secret":"s","ServerURL":"r.example.com","Username":"bob"}

        """, "\(run.errors)")
  }

  /// Docker keeps a refresh token of its hub under an address of its own.
  @Test func aKeyBelowThatOfASecretIsAnotherKey() throws {
    let run = try run(
      """
      printf '{"ServerURL": "https://index.docker.io/v1/", "Username": "ada", "Secret": "s"}' |
        docker-credential-tokenvault store
      printf https://index.docker.io/v1/refresh-token | docker-credential-tokenvault get
      printf '{"ServerURL": "https://r.example.com/?q", "Username": "a", "Secret": "s"}' |
        docker-credential-tokenvault store >out; echo $?; grep -c 'Nothing was stored' out
      """)
    #expect(
      run.output == "credentials not found in native keychain\n1\n1\n", "\(run.errors)")
  }

  @Test func anotherRegistryGetsNothing() throws {
    let run = try run(
      """
      echo one | docker login -u ada --password-stdin $R >/dev/null 2>&1
      for server in 127.0.0.1 127.0.0.1:1 localhost:$N $R.evil.example evil.example/$R $R@evil.example
      do printf $server | docker-credential-tokenvault get; done | sort -u
      """)
    #expect(run.output == "credentials not found in native keychain\n", "\(run.errors)")
  }
}
