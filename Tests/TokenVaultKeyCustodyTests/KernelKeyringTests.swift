import Foundation
import TokenVaultKeyCustody
import Testing
import TokenVaultCrypto

@Suite(.timeLimit(.minutes(2))) struct KernelKeyringTests {
  @Test func aKeptKeyIsFoundByItsIDUntilItIsForgotten() throws {
    let id = GroupKeyID.fresh(generation: 7)
    let key = try SecretBytes.random(count: 32)
    #expect(try kept(id) == nil)
    try KernelKeyring.keep(key, as: id, seconds: 600)
    #expect(try kept(id) == bytes(key))
    // After a rotation the former key must not be found.
    #expect(try kept(id.with(generation: 8)) == nil)
    #expect(try kept(.fresh(generation: 7)) == nil)

    #expect(try KernelKeyring.forgetAll(of: id.groupID))
    #expect(try kept(id) == nil)
    #expect(try KernelKeyring.secondsLeft(id) == nil)
    #expect(try KernelKeyring.forgetAll(of: id.groupID) == false)
  }

  @Test func aSuccessorIsKeptForTheRemainingTime() throws {
    let id = GroupKeyID.fresh()
    let key = try SecretBytes.random(count: 32)
    try KernelKeyring.keep(key, as: id, seconds: 3600)
    let left = try #require(try KernelKeyring.secondsLeft(id))
    #expect((3590...3600).contains(left))
    let next = id.with(generation: 2)
    try KernelKeyring.keep(key, as: next, seconds: left)
    #expect(try #require(try KernelKeyring.secondsLeft(next)) <= left)
    // Both generations, and no other group's key.
    let other = GroupKeyID.fresh()
    try KernelKeyring.keep(key, as: other, seconds: 600)
    #expect(try KernelKeyring.forgetAll(of: id.groupID))
    #expect(try kept(id) == nil && kept(next) == nil)
    #expect(try kept(other) == bytes(key))
    try KernelKeyring.forgetAll(of: other.groupID)
  }

  @Test func keepingAKeyAgainReplacesItAndItsLifetime() throws {
    let id = GroupKeyID.fresh()
    try KernelKeyring.keep(try SecretBytes.random(count: 32), as: id, seconds: 3600)
    let second = try SecretBytes.random(count: 32)
    try KernelKeyring.keep(second, as: id, seconds: 60)
    #expect(try kept(id) == bytes(second))
    #expect(try #require(try KernelKeyring.secondsLeft(id)) <= 60)
    try KernelKeyring.forgetAll(of: id.groupID)
  }

  @Test func aKeyIsGoneAfterItsLifetime() throws {
    let id = GroupKeyID.fresh()
    try KernelKeyring.keep(try SecretBytes.random(count: 32), as: id, seconds: 1)
    #expect(try kept(id) != nil)
    let end = ContinuousClock.now + .seconds(10)
    while try kept(id) != nil, ContinuousClock.now < end { usleep(20_000) }
    #expect(try kept(id) == nil)
    #expect(try KernelKeyring.secondsLeft(id) == nil)
    #expect(try KernelKeyring.forgetAll(of: id.groupID) == false)
  }

  @Test func aLifetimeOfZeroWhichMeansForeverIsRefused() throws {
    let key = try SecretBytes.random(count: 32)
    #expect(
      failure { () throws(CustodyError) in
        try KernelKeyring.keep(key, as: .fresh(), seconds: 0)
      } == .kernelKeyring(errno: EINVAL))
  }

  private func kept(_ id: GroupKeyID) throws -> [UInt8]? {
    guard let key = try KernelKeyring.key(id) else { return nil }
    return bytes(key)
  }
}
