import TokenVaultModel
import TokenVaultSignIn

extension HelperProtocol {
  /// AWS's `credential_process`. The argument is the URL that the key pair is stored for; its user
  /// name is the access key ID.
  package static let aws = HelperProtocol(
    name: "aws", programs: ["tokenvault-aws"], readsInput: { _ in false }, begin: AWSHelper.begin)
}

/// The secret is the secret access key, or the JSON of temporary credentials with a session token.
private enum AWSHelper {
  static func begin(_ call: HelperCall) -> HelperStep {
    .reading { () throws(HelperUsageError) in
      let arguments = try HelperArguments(call.arguments, options: ["--username": "username"])
      guard arguments.words.count == 1, let address = HTTPURL(urlOrHost: arguments.words[0]) else {
        throw .words(
          "This helper needs the URL that the key pair is stored for, as in "
            + "https://aws.amazon.com.")
      }
      return find(CredentialQuery(address, username: try arguments.single("username")))
    }
  }

  private static func find(_ query: CredentialQuery) -> HelperStep {
    .asks(.find(query)) { outcome in
      guard case .found(let found) = outcome else { return .failure(outcome, at: query.address) }
      guard let members = credentials(found) else {
        return HelperAnswer(
          message: "The stored secret is neither a secret access key nor JSON with "
            + "SecretAccessKey and SessionToken.", status: 1)
      }
      return .json([("Version", .number("1"))] + members)
    }
  }

  private static func credentials(_ found: FoundCredential) -> [(String, JSONValue)]? {
    guard found.text?.drop(while: \.isWhitespace).first == "{" else {
      guard let key = found.bearerToken, isKeyID(found.username) else { return nil }
      return pair(found.username, key) + expiration(found)
    }
    let value: JSONValue
    do { value = try JSONValue(parsing: found.secret.reveal()) } catch { return nil }
    let keyID = value["AccessKeyId"]?.text ?? found.username
    guard let key = value["SecretAccessKey"]?.text, !key.isEmpty, isKeyID(keyID) else { return nil }
    var members = pair(keyID, key)
    // Without the session token, temporary credentials are refused as unknown ones.
    if let token = value["SessionToken"] {
      guard let token = token.text, !token.isEmpty else { return nil }
      members.append(("SessionToken", .string(token)))
    }
    if let end = value["Expiration"]?.text { return members + [("Expiration", .string(end))] }
    return members + expiration(found)
  }

  private static func pair(_ keyID: String, _ key: String) -> [(String, JSONValue)] {
    [("AccessKeyId", .string(keyID)), ("SecretAccessKey", .string(key))]
  }

  private static func expiration(_ found: FoundCredential) -> [(String, JSONValue)] {
    found.expiresOn.map { [("Expiration", .string($0.iso8601))] } ?? []
  }

  private static func isKeyID(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
  }
}
