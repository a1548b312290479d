import TokenVaultCrypto
import TokenVaultModel

/// The profiles of the AWS CLI and SDKs.
enum AWSCredentials {
  /// The address that docs/tools/aws.md stores key pairs for.
  private static let service = "https://aws.amazon.com"

  /// The lines of a key pair, its session token included, are taken out together.
  static func secrets(_ bytes: [UInt8]) -> [PlaintextSecret] {
    let leaves = INIText.leaves(bytes, .python)
    return leaves.compactMap { leaf in
      guard leaf.name == "aws_secret_access_key", leaf.value?.isEmpty != true else { return nil }
      var secret = PlaintextSecret(.secretKey, at: leaf.path[0], cuts: [])
      let names = ["aws_access_key_id", "aws_secret_access_key", "aws_session_token"]
      let isOnly = leaves.all(leaf.name, beside: leaf).count == 1
      secret.cuts =
        isOnly
        ? names.flatMap { leaves.all($0, beside: leaf).map(\.cut) }
        : [.kept("its profile has several keys")]
      let keyID = leaves.value("aws_access_key_id", beside: leaf)
      let session = leaves.value("aws_session_token", beside: leaf)
      secret.username = keyID
      secret.service = service
      guard let keyID, let key = leaf.value else { return secret }
      if let session, !session.isEmpty {
        secret.secret = Redacted(
          JSONValue.object([
            .init("AccessKeyId", .string(keyID)), .init("SecretAccessKey", .string(key)),
            .init("SessionToken", .string(session)),
          ]).bytes)
      } else {
        secret.hold(key)
      }
      return secret
    }
  }
}
