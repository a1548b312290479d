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

  /// The items of the group as another program, secret-tool, shows them: the first answer that is
  /// given twice in a row, because 1 of 128 sessions that it opens with KWallet fails.
  func attributes(group: GroupKeyID) throws -> [String] {
    var former: String?
    while true {
      let text = try run([
        "sh", "-c", "secret-tool search --all --unlock group \(group.hexGroup) 2>&1 || true",
      ])
      if text == former { return text.split(separator: "\n").map(String.init) }
      former = text
    }
  }

  /// Stores any text in the place of a key. A session that KWallet refuses is followed by others.
  func plant(_ text: String, as id: GroupKeyID) throws {
    try run([
      "sh", "-c",
      """
      for i in 1 2 3 4; do
        printf %s "$1" | secret-tool store --label=planted group "$2" generation "$3" && exit
      done
      exit 1
      """, "sh", text, id.hexGroup, String(id.generation),
    ])
  }
}
