import Synchronization
import TokenVault
import TokenVaultCrypto

/// Asks for the group's passphrase once: a later prompt would appear on the full screen.
final class PassphraseMemory: Sendable {
  typealias Prompt = @Sendable (VaultConfiguration.PassphrasePurpose) throws -> SecretBytes?

  private let prompt: Mutex<Prompt?>
  private let known = Mutex<SecretBytes?>(nil)

  init(_ prompt: Prompt?) { self.prompt = Mutex(prompt) }

  /// From now on an unknown passphrase stays unknown: the screen would draw over a prompt.
  func stopAsking() { prompt.withLock { $0 = nil } }

  func answer(_ purpose: VaultConfiguration.PassphrasePurpose) throws -> SecretBytes? {
    try known.withLock { known in
      if case .openAgain = purpose { known = nil }
      if known == nil, let ask = prompt.withLock({ $0 }) { known = try ask(purpose) }
      return try known?.clone()
    }
  }
}
