import TokenVaultGroupStore
import TokenVaultKeyCustody
import TokenVaultTestSupport
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVault

extension GroupSession {
  func tokenText(
    _ scopes: String = "User.Read", account: String? = nil, client: String? = nil
  ) throws(VaultError) -> String {
    let request = TokenRequest(scopes: ScopeSet(target: scopes), clientID: client)
    return String(
      decoding: try token(request, account: account).accessToken.reveal(), as: UTF8.self)
  }

  func header() throws -> GroupHeader {
    let locked = try LockedGroup(path: configuration.groupPath)
    return locked.header
  }

  func keyID(_ generation: UInt64? = nil) throws -> GroupKeyID {
    let header = try header()
    return GroupKeyID(groupID: header.groupID, generation: generation ?? header.generation)
  }
}
