import TokenVaultSignIn
import Synchronization
import TokenVaultCrypto

/// The key that an application's tokens are bound to. It is made for the first such token and never
/// stored, so a copy of the vault is useless without the process.
final class ApplicationKey: Sendable {
  private let made = Mutex<ProofOfPossession?>(nil)

  /// The presentation of a token in this scheme. Blocks for about 0.1 s if the key has to be made.
  func presentation(_ scheme: AuthenticationScheme) throws(VaultError) -> TokenPresentation {
    guard case .pop(let request) = scheme else { return .bearer }
    do {
      let proof = try made.withLock { made throws(CryptoError) in
        if let proof = made { return proof }
        let proof = try ProofOfPossession(SigningKey.generate())
        made = proof
        return proof
      }
      return .pop(proof, request)
    } catch { throw .signIn(.cryptography) }
  }

  /// The same without making a key; nil if there is no key, and therefore no token bound to it.
  func presentationIfMade(_ scheme: AuthenticationScheme) -> TokenPresentation? {
    guard case .pop(let request) = scheme else { return .bearer }
    return made.withLock { $0 }.map { .pop($0, request) }
  }
}
