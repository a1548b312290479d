import TokenVaultKeyCustody
import TokenVaultTestSupport

extension PrivateSecretService {
  /// A custodian with a deadline that a busy machine does not reach.
  func custodian(
    allowPrompt: Bool = false, busAddress: String? = nil, deadlineMilliseconds: Int = 60_000
  ) -> SecretServiceCustodian {
    SecretServiceCustodian(
      busAddress: busAddress ?? self.busAddress, allowPrompt: allowPrompt,
      deadlineMilliseconds: deadlineMilliseconds)
  }

  /// The items of the group as another program, secret-tool, shows them.
  func attributes(group: GroupKeyID) throws -> [String] {
    let text = try run([
      "sh", "-c", "secret-tool search --all --unlock group \(group.hexGroup) 2>&1",
    ])
    return text.split(separator: "\n").map(String.init)
  }

  /// Stores any text in the place of a key.
  func plant(_ text: String, as id: GroupKeyID) throws {
    try run(
      [
        "secret-tool", "store", "--label=planted", "group", id.hexGroup, "generation",
        String(id.generation),
      ], input: text)
  }
}
