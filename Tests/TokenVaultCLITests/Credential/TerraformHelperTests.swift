import Foundation
import Testing
import TokenVaultTestSupport

/// The helper with real Terraform, which asks it before it talks to a host.
@Suite(.timeLimit(.minutes(5)))
struct TerraformHelperTests {
  @Test func terraformGetsAndForgetsATokenOfItsHost() throws {
    let home = try CommandLineFixtures().home(SharedSecretService.get())
    let run = try home.run(
      """
      unset TF_CLI_CONFIG_FILE; tokenvault credential install terraform >/dev/null
      printf '{"token": "tf-token"}' | .terraform.d/plugins/terraform-credentials-tokenvault \
        store tf.example.com
      tokenvault token --service tf.example.com
      terraform logout tf.example.com >out || cat out
      grep -c 'removed the stored API token' out
      tokenvault list -g dev.tokenvault.shared --json
      """)
    #expect(run.output == "tf-token\n1\n[]\n", "\(run.errors)")
  }
}
