import TokenVaultSignIn
import Synchronization
import TokenVaultCrypto

/// The key that an application's tokens are bound to: made when the first one is wanted, and never
/// stored, so that a copy of the vault is of no use without the process.
final class ApplicationKey: Sendable {
  private let made = Mutex<ProofOfPossession?>(nil)

  /// Blocks for about 0.1 s where the key has to be made.
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

  /// The same without making a key; nil where there is none, and so no token of it.
  func presentationIfMade(_ scheme: AuthenticationScheme) -> TokenPresentation? {
    guard case .pop(let request) = scheme else { return .bearer }
    return made.withLock { $0 }.map { .pop($0, request) }
  }
}
