import Foundation
import TokenVaultKeyCustody
import Testing
import TokenVaultCrypto

@Suite(.timeLimit(.minutes(2))) struct KeyFileCustodianTests {
  private let directory: TemporaryDirectory
  private let slot = KeySlotParameters(salt: Array("a salt of the group file".utf8))

  init() throws { directory = try TemporaryDirectory() }

  @Test func aNewKeyFileIsPrivateAndRandom() throws {
    let path = directory.path("key")
    try KeyFileCustodian.create(path: path)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(attributes[.size] as? Int == 43)
    let key = bytes(try KeyFileCustodian(path: path).key(slot))
    #expect(key.count == 32)
    #expect(bytes(try KeyFileCustodian(path: path).key(slot)) == key)
    #expect(bytes(try KeyFileCustodian(path: path).key(KeySlotParameters(salt: [1]))) != key)

    let other = directory.path("other")
    try KeyFileCustodian.create(path: other)
    #expect(bytes(try KeyFileCustodian(path: other).key(slot)) != key)
  }

  @Test func anExistingFileIsNotOverwritten() throws {
    let path = try directory.write("precious", bytes: 64)
    let before = try Data(contentsOf: URL(filePath: path))
    #expect(
      failure { () throws(CustodyError) in try KeyFileCustodian.create(path: path) }
        == .keyFileUnreadable(path: path, errno: EEXIST))
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
  }

  @Test(arguments: [32, 33, 4095, 4096])
  func aFileOfAnAllowedSizeIsAccepted(size: Int) throws {
    let path = try directory.write("key", bytes: size)
    #expect(try KeyFileCustodian(path: path).key(slot).count == 32)
  }

  @Test(arguments: [0, 31, 4097])
  func aFileOfAnotherSizeIsRefused(size: Int) throws {
    let path = try directory.write("key", bytes: size)
    #expect(refusal(path) == .keyFileUnsafe(path: path, reason: .wrongSize))
  }

  @Test(arguments: [0o640, 0o620, 0o610, 0o604, 0o602, 0o601, 0o777])
  func aFileThatOthersMayAccessIsRefused(mode: Int) throws {
    let path = try directory.write("key", bytes: 32, mode: mode)
    #expect(refusal(path) == .keyFileUnsafe(path: path, reason: .wideMode))
  }

  @Test func theModeOfASystemdCredentialIsAccepted() throws {
    let path = try directory.write("key", bytes: 32, mode: 0o400)
    #expect(try KeyFileCustodian(path: path).key(slot).count == 32)
  }

  @Test func aMissingFileIsReportedAsMissing() {
    let path = directory.path("none")
    #expect(refusal(path) == .keyFileMissing(path: path))
  }

  @Test func aSymbolicLinkIsRefusedEvenToAGoodFile() throws {
    let good = try directory.write("key", bytes: 32)
    let link = directory.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: good)
    #expect(refusal(link) == .keyFileUnsafe(path: link, reason: .symlink))
  }

  @Test func aDirectoryAndAPipeAreRefusedWithoutWaiting() throws {
    #expect(
      refusal(directory.url.path)
        == .keyFileUnsafe(path: directory.url.path, reason: .notRegular))
    let pipe = directory.path("pipe")
    unsafe #expect(mkfifo(pipe, 0o600) == 0)
    #expect(refusal(pipe) == .keyFileUnsafe(path: pipe, reason: .notRegular))
  }

  @Test func aFileOfAnotherUserIsRefused() throws {
    let path = try directory.write("key", bytes: 32)
    if geteuid() == 0 {
      unsafe #expect(chown(path, 65534, 65534) == 0)
      #expect(refusal(path) == .keyFileUnsafe(path: path, reason: .notOwned))
    } else {
      // Without root the owner of a file cannot be changed, so this only checks a file that belongs
      // to another user and cannot be opened.
      #expect(refusal("/etc/shadow") == .keyFileUnreadable(path: "/etc/shadow", errno: EACCES))
    }
  }

  private func refusal(_ path: String) -> CustodyError? {
    failure { () throws(CustodyError) in
      _ = try KeyFileCustodian(path: path).key(slot)
    }
  }
}
