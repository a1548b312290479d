import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultKeyCustody

@Suite(.timeLimit(.minutes(2))) struct DevicePartCustodianTests {
  private let directory: TemporaryDirectory
  private let custodian: DevicePartCustodian
  private let id = GroupKeyID.fresh()

  init() throws {
    directory = try TemporaryDirectory()
    custodian = DevicePartCustodian(directory: directory.path("state/device-keys"))
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test func onlyTheOwnerCanReadTheFileAndItsDirectory() throws {
    try custodian.store(try SecretBytes.random(count: 32), as: id)
    #expect(try mode(custodian.path(of: id)) == 0o600)
    #expect(try mode(custodian.directory) == 0o700)
  }

  /// A second name of the file shows what is left on the disk.
  @Test func aDeletedPartIsOverwrittenFirst() throws {
    try custodian.store(try SecretBytes.random(count: 32), as: id)
    let second = directory.path("second")
    try FileManager.default.linkItem(atPath: custodian.path(of: id), toPath: second)
    try custodian.delete(id)
    #expect(!FileManager.default.fileExists(atPath: custodian.path(of: id)))
    #expect(try Data(contentsOf: URL(filePath: second)) == Data(count: 32))
  }

  @Test func aDirectoryThatOthersCanReadOrALinkIsRefused() throws {
    try custodian.store(try SecretBytes.random(count: 32), as: id)
    let path = custodian.directory
    try FileManager.default.setAttributes([.posixPermissions: 0o750], ofItemAtPath: path)
    let part = try SecretBytes.random(count: 32)
    let next = id.with(generation: 2)
    #expect(
      failure { () throws(CustodyError) in try custodian.store(part, as: next) }
        == .keyFileUnsafe(path: path, reason: .wideMode))
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    try FileManager.default.moveItem(atPath: path, toPath: path + ".real")
    try FileManager.default.createSymbolicLink(
      atPath: path, withDestinationPath: path + ".real")
    #expect(
      failure { () throws(CustodyError) in try custodian.store(part, as: next) }
        == .keyFileUnsafe(path: path, reason: .symlink))
  }

  @Test func deletingALinkLeavesItsTarget() throws {
    let target = directory.path("target")
    try Data("precious".utf8).write(to: URL(filePath: target))
    try custodian.store(try SecretBytes.random(count: 32), as: id)
    let other = id.with(generation: 2)
    try FileManager.default.createSymbolicLink(
      atPath: custodian.path(of: other), withDestinationPath: target)
    try custodian.delete(other)
    #expect(try Data(contentsOf: URL(filePath: target)) == Data("precious".utf8))
    #expect(try custodian.generations(of: id.groupID) == [id.generation])
  }
}
