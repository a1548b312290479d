import Synchronization
import TokenVault
import TokenVaultCrypto

/// Enters a passphrase at every prompt, and counts the prompts.
enum PassphrasePrompt {
  final class Counter: Sendable { let count = Mutex(0) }

  static func entering(
    _ passphrase: String, _ prompts: Counter = Counter()
  ) -> @Sendable (VaultConfiguration.PassphrasePurpose) throws -> SecretBytes? {
    { _ in
      prompts.count.withLock { $0 += 1 }
      return try SecretBytes(copying: Array(passphrase.utf8))
    }
  }
}
