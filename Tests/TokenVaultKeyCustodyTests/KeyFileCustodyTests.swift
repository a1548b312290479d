import Foundation
import TokenVaultKeyCustody
import Testing
import TokenVaultCrypto

@Suite struct KeyFileCustodyTests {
  private let directory: TemporaryDirectory
  private let salt = Array("a salt of the group file".utf8)

  init() throws { directory = try TemporaryDirectory() }

  @Test func `a fresh key file is private, random and opens the same slot twice`() throws {
    let path = directory.path("key")
    try KeyFileCustody.create(path: path)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(attributes[.size] as? Int == 43)
    let key = bytes(try KeyFileCustody.keyEncryptionKey(path: path, salt: salt))
    #expect(key.count == 32)
    #expect(bytes(try KeyFileCustody.keyEncryptionKey(path: path, salt: salt)) == key)
    #expect(bytes(try KeyFileCustody.keyEncryptionKey(path: path, salt: [1])) != key)

    let other = directory.path("other")
    try KeyFileCustody.create(path: other)
    #expect(bytes(try KeyFileCustody.keyEncryptionKey(path: other, salt: salt)) != key)
  }

  @Test func `an existing file is not overwritten`() throws {
    let path = try directory.write("precious", bytes: 64)
    let before = try Data(contentsOf: URL(filePath: path))
    #expect(
      failure { () throws(CustodyError) in try KeyFileCustody.create(path: path) }
        == .keyFileUnreadable(path: path, errno: EEXIST))
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
  }

  @Test(arguments: [32, 33, 4095, 4096])
  func `a file of an allowed size is taken`(size: Int) throws {
    let path = try directory.write("key", bytes: size)
    #expect(try KeyFileCustody.keyEncryptionKey(path: path, salt: salt).count == 32)
  }

  @Test(arguments: [0, 31, 4097])
  func `a file of another size is refused`(size: Int) throws {
    let path = try directory.write("key", bytes: size)
    #expect(refusal(path) == .keyFileUnsafe(path: path, reason: .wrongSize))
  }

  @Test(arguments: [0o640, 0o620, 0o610, 0o604, 0o602, 0o601, 0o777])
  func `a file that others may touch is refused`(mode: Int) throws {
    let path = try directory.write("key", bytes: 32, mode: mode)
    #expect(refusal(path) == .keyFileUnsafe(path: path, reason: .wideMode))
  }

  @Test func `a systemd credential's mode is taken`() throws {
    let path = try directory.write("key", bytes: 32, mode: 0o400)
    #expect(try KeyFileCustody.keyEncryptionKey(path: path, salt: salt).count == 32)
  }

  @Test func `a missing file is missing`() {
    let path = directory.path("none")
    #expect(refusal(path) == .keyFileMissing(path: path))
  }

  @Test func `a symbolic link is refused, even to a good file`() throws {
    let good = try directory.write("key", bytes: 32)
    let link = directory.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: good)
    #expect(refusal(link) == .keyFileUnsafe(path: link, reason: .symlink))
  }

  @Test func `a directory and a pipe are refused without waiting`() throws {
    #expect(
      refusal(directory.url.path)
        == .keyFileUnsafe(path: directory.url.path, reason: .notRegular))
    let pipe = directory.path("pipe")
    unsafe #expect(mkfifo(pipe, 0o600) == 0)
    #expect(refusal(pipe) == .keyFileUnsafe(path: pipe, reason: .notRegular))
  }

  @Test func `a file of somebody else is refused`() throws {
    let path = try directory.write("key", bytes: 32)
    if geteuid() == 0 {
      unsafe #expect(chown(path, 65534, 65534) == 0)
      #expect(refusal(path) == .keyFileUnsafe(path: path, reason: .notOwned))
    } else {
      // Without root no file can be given away; what is somebody else's and neither root's nor
      // readable for us cannot even be opened.
      #expect(refusal("/etc/shadow") == .keyFileUnreadable(path: "/etc/shadow", errno: EACCES))
    }
  }

  private func refusal(_ path: String) -> CustodyError? {
    failure { () throws(CustodyError) in
      _ = try KeyFileCustody.keyEncryptionKey(path: path, salt: salt)
    }
  }
}

private final class TemporaryDirectory: Sendable {
  let url = URL(filePath: "/tmp/tv-\(UUID().uuidString.prefix(13))")

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    #expect(throws: Never.self) { try FileManager.default.removeItem(at: url) }
  }

  func path(_ name: String) -> String { url.appending(path: name).path }

  func write(_ name: String, bytes count: Int, mode: Int = 0o600) throws -> String {
    let path = path(name)
    let content = Data((0..<count).map { _ in UInt8.random(in: 0...255) })
    try content.write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return path
  }
}
