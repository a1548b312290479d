import Synchronization
import TokenVaultCrypto
import TokenVaultModel

/// A refresh token that a provider issued in the place of another one, and that could not be stored
/// when it arrived. It is kept in locked memory.
final class UnstoredToken: Sendable {
  let groupPath: String
  private let account: Account
  private let clientID: String
  private let issued: SecretBytes
  private let sent: SecretBytes

  init(
    _ issued: Redacted<String>, for plan: SilentPlan.Refresh, sent: Redacted<String>,
    groupPath: String
  ) throws(CryptoError) {
    self.groupPath = groupPath
    account = plan.account
    clientID = plan.clientID
    self.issued = try SecretBytes(copying: Array(issued.reveal().utf8))
    self.sent = try SecretBytes(copying: Array(sent.reveal().utf8))
  }

  func store(in session: GroupSession) throws(VaultError) -> SignInStorage.KeptToken {
    func text(_ bytes: borrowing SecretBytes) -> Redacted<String> {
      Redacted(unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) })
    }
    return try SignInStorage(session).keepRefreshToken(
      text(issued), of: account, client: clientID, sent: text(sent))
  }
}

/// The refresh tokens of this process that are not stored yet, in locked memory until the process
/// ends.
final class UnstoredTokens: Sendable {
  static let ofProcess = UnstoredTokens()

  private let tokens = Mutex<[UnstoredToken]>([])

  var isEmpty: Bool { tokens.withLock { $0.isEmpty } }

  func add(_ token: UnstoredToken) { tokens.withLock { $0.append(token) } }

  func remove(_ token: UnstoredToken) { tokens.withLock { $0.removeAll { $0 === token } } }

  func of(_ groupPath: String) -> [UnstoredToken] {
    tokens.withLock { tokens in
      tokens.isEmpty ? [] : tokens.filter { $0.groupPath == groupPath }
    }
  }
}
