import Foundation
import Testing
import TokenVaultSystem

@Suite(.timeLimit(.minutes(2))) struct WholeFileTests {
  @Test func aWholeFileReplacesAnotherOnlyWhenAllowed() throws {
    // A file system of the disk and one in memory; both have nameless files.
    for parent in ["/var/tmp", "/dev/shm"] {
      let directory = "\(parent)/tv-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
      defer { unsafe #expect(rmdir(directory) == 0) }
      let path = directory + "/file"
      func content() throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }
      try WholeFile.write([1], to: path, replacing: true)
      #expect(throws: SystemCallError(errno: EEXIST, call: "linkat")) {
        try WholeFile.write([2], to: path, replacing: false)
      }
      #expect(try content() == [1])
      try WholeFile.write([3], to: path, replacing: true)
      #expect(try content() == [3])
      var status = stat()
      unsafe #expect(stat(path, &status) == 0 && status.st_mode == S_IFREG | 0o600)
      // A link is replaced and not followed.
      unsafe unlink(path)
      unsafe #expect(symlink("elsewhere", path) == 0)
      try WholeFile.write([4], to: path, replacing: true)
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["file"])
      #expect(try content() == [4])
      unsafe unlink(path)
    }
    #expect(throws: SystemCallError(errno: ENOENT, call: "open")) {
      try WholeFile.write([], to: "/nowhere/at/all", replacing: true)
    }
  }
}
