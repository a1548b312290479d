import Foundation
import Testing
import TokenVaultTestSupport

/// The helper with real kubectl and a stub of an API server.
@Suite(.timeLimit(.minutes(5)))
struct KubernetesHelperTests {
  private let client: ClientHome

  init() throws {
    client = try ClientHome("apiserver.py", helpers: [])
  }

  private func run(_ version: String, _ script: String) throws -> ShellHome.Run {
    try client.run(
      """
      export KUBECONFIG="$HOME/kubeconfig"; cat >kubeconfig <<END
      {"apiVersion": "v1", "kind": "Config", "current-context": "c",
       "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:$N",
         "certificate-authority": "$HOME/cert.pem"}}],
       "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}
      END
      kubectl config set-credentials u --exec-command=tokenvault \
        --exec-api-version=client.authentication.k8s.io/\(version) --exec-interactive-mode=Never \
        --exec-provide-cluster-info --exec-arg=credential --exec-arg=kubernetes >/dev/null
      \(script)
      """)
  }

  @Test(arguments: ["v1", "v1beta1"])
  func theSecretOfTheClusterIsItsBearerToken(version: String) throws {
    let run = try run(
      version,
      """
      echo kube-token | tokenvault add --quiet --service "https://127.0.0.1:$N" --username c \
        --auth bearer >/dev/null
      kubectl get --raw /version | grep -c v1.32.0; sort -u log
      """)
    #expect(run.output == "1\nBearer kube-token\n", "\(run.errors)")
  }

  @Test func anotherClusterGetsNothing() throws {
    let run = try run(
      "v1",
      """
      echo kube-token | tokenvault add --quiet --service https://127.0.0.1:1 --username c >/dev/null
      kubectl get --raw /version || echo refused; cat log
      """)
    #expect(run.output == "refused\n", "\(run.errors)")
    #expect(run.errors.contains("tokenvault add --service https://127.0.0.1:"), "\(run.errors)")
  }
}
