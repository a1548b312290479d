import Foundation
import Testing
import TokenVaultTestSupport

/// The helper with real cargo and a sparse registry on loopback.
@Suite(.timeLimit(.minutes(5)))
struct CargoHelperTests {
  private let client: ClientHome

  init() throws {
    client = try ClientHome("cargoindex.py", helpers: ["cargo-credential-tokenvault"])
  }

  private func run(_ script: String) throws -> ShellHome.Run {
    // rustup finds its toolchain in the home of the user who runs the tests.
    try client.run(
      """
      real=$(getent passwd "$(id -u)" | cut -d: -f6)
      export RUSTUP_HOME="${RUSTUP_HOME:-$real/.rustup}" CARGO_HOME="$HOME/.cargo"
      export PATH="$PATH:$real/.cargo/bin"
      mkdir -p .cargo && cat >.cargo/config.toml <<END
      [registries.local]
      index = "sparse+http://127.0.0.1:$N/index/"
      [registry]
      global-credential-providers = ["cargo-credential-tokenvault"]
      END
      \(script)
      """)
  }

  @Test func aLoginServesTheRegistryUntilTheLogout() throws {
    let run = try run(
      """
      echo cargo-token | cargo login -q --registry local || echo not logged in
      cargo owner -q --list --registry local hello; sort -u log
      tokenvault token --service "http://127.0.0.1:$N/index"; ls .cargo
      cargo logout -q --registry local; tokenvault list -g dev.tokenvault.shared --json
      cargo owner -q --list --registry local hello || echo refused
      """)
    #expect(
      run.output == "ada\ncargo-token\ncargo-token\nconfig.toml\nregistry\n[]\nrefused\n"
        || run.output == "ada\ncargo-token\ncargo-token\nconfig.toml\n[]\nrefused\n",
      "\(run.output) \(run.errors)")
  }

  @Test func aDryRunOfAPublicationGetsTheToken() throws {
    let run = try run(
      """
      echo cargo-token | cargo login -q --registry local; rm log; touch log
      mkdir hello hello/src; echo >hello/src/lib.rs; cd hello; cat >Cargo.toml <<END
      [package]
      name = "hello"
      version = "0.1.0"
      description = "hello"
      license = "MIT"
      END
      cargo publish -q --dry-run --no-verify --allow-dirty --registry local && sort -u ../log
      """)
    #expect(run.output == "cargo-token\n", "\(run.errors)")
  }
}
