import Foundation
import Testing
import TokenVaultTestSupport

/// The helper as `credential_process` of the real AWS command line.
@Suite(.timeLimit(.minutes(5)))
struct AWSHelperTests {
  private let client: ClientHome

  init() throws { client = try ClientHome("packageindex.py", helpers: []) }

  private func run(_ script: String) throws -> ShellHome.Run {
    try client.run(
      """
      mkdir -p .aws; cat >.aws/config <<END
      [default]
      region = eu-west-1
      credential_process = tokenvault credential aws https://aws.example.com
      END
      \(script)
      """)
  }

  @Test func aStoredKeyPairIsTheCredential() throws {
    let run = try run(
      """
      echo wJalrXUtnFEMI | tokenvault add --quiet --service https://aws.example.com \
        --username AKIAIOSFODNN7EXAMPLE >/dev/null
      aws configure list | grep -c custom-process
      python -c 'import botocore.session as s; c = s.get_session().get_credentials()
      print(c.access_key, c.secret_key, c.token)'
      """)
    #expect(run.output == "2\nAKIAIOSFODNN7EXAMPLE wJalrXUtnFEMI None\n", "\(run.errors)")
  }

  @Test func aMissingKeyPairIsAFailureWithoutASecret() throws {
    let run = try run("aws sts get-caller-identity; echo $?")
    #expect(run.output == "255\n", "\(run.output)")
    #expect(run.errors.contains("tokenvault add --service https://aws.example.com"))
  }
}
