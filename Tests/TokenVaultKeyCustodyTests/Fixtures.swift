import Foundation
import TokenVaultKeyCustody
import TokenVaultTestSupport
import TokenVaultCrypto

extension PrivateSecretService {
  /// A custodian whose deadline a busy machine does not reach, where a test is not about it.
  func custodian(
    allowPrompt: Bool = false, busAddress: String? = nil, deadlineMilliseconds: Int = 10_000
  ) -> SecretServiceCustodian {
    SecretServiceCustodian(
      busAddress: busAddress ?? self.busAddress, allowPrompt: allowPrompt,
      deadlineMilliseconds: deadlineMilliseconds)
  }

  /// A second opinion on what the service holds: another program than ours looks it up.
  func attributes(group: GroupKeyID) throws -> [String] {
    let text = try run([
      "sh", "-c", "secret-tool search --all --unlock group \(group.hexGroup) 2>&1",
    ])
    return text.split(separator: "\n").map(String.init)
  }

  /// Stores a text of whatever kind where a key of ours would be.
  func plant(_ text: String, as id: GroupKeyID) throws {
    try run(
      [
        "secret-tool", "store", "--label=planted", "group", id.hexGroup, "generation",
        String(id.generation),
      ], input: text)
  }
}

extension GroupKeyID {
  /// A key id that no other test uses.
  static func fresh(generation: UInt64 = 1) -> GroupKeyID {
    GroupKeyID(
      groupID: (0..<16).map { _ in UInt8.random(in: 0...255) }, generation: generation)
  }

  func with(generation: UInt64) -> GroupKeyID {
    GroupKeyID(groupID: groupID, generation: generation)
  }

  var hexGroup: String { groupID.map { String(format: "%02x", $0) }.joined() }
}

func bytes(_ secret: borrowing SecretBytes) -> [UInt8] {
  unsafe secret.withUnsafeBytes { unsafe Array($0) }
}

func text(_ secret: borrowing SecretBytes) -> String {
  String(decoding: bytes(secret), as: UTF8.self)
}

func secret(_ text: String) throws -> SecretBytes { try SecretBytes(copying: Array(text.utf8)) }

/// The error that a call threw; nil when it threw none.
func failure(of call: () throws(CustodyError) -> Void) -> CustodyError? {
  do throws(CustodyError) {
    try call()
    return nil
  } catch {
    return error
  }
}

/// Runs a blocking call on a thread of its own.
func onThread<Result: Sendable>(_ call: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: call()) }
  }
}
