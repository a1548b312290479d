import KeyCustody
import Testing
import TokenVaultTestSupport
import VaultCrypto

@Suite struct SmokeTests {
  @Test func smoke() throws {
    let service = try PrivateSecretService()
    let custodian = SecretServiceCustodian(busAddress: service.busAddress, allowPrompt: false)
    print(custodian.status())
    let id = GroupKeyID(groupID: [UInt8](repeating: 7, count: 16), generation: 1)
    let key = try SecretBytes.random(count: 32)
    try custodian.store(key, as: id)
    #expect(try custodian.key(id).isEqual(to: key))
    print(try custodian.generations(of: id.groupID))
    try custodian.delete(id)
    #expect(throws: CustodyError.keyMissing(generation: 1)) { _ = try custodian.key(id) }
  }
}
