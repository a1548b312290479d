import Foundation
import TokenVaultSystem
import Testing

@Suite struct TokenVaultSystemTests {
  @Test func `an exclusive lock keeps out every other description`() throws {
    try withFile { path in
      let first = try SystemCalls.open(path, O_RDWR)
      let second = try SystemCalls.open(path, O_RDWR)
      defer {
        close(first)
        close(second)
      }
      #expect(try SystemCalls.ofdLock(first, exclusive: true))
      #expect(try SystemCalls.ofdLock(second, exclusive: true) == false)
      #expect(try SystemCalls.ofdLock(second, exclusive: false) == false)
    }
  }

  @Test func `shared locks stand side by side`() throws {
    try withFile { path in
      let first = try SystemCalls.open(path, O_RDWR)
      let second = try SystemCalls.open(path, O_RDWR)
      defer {
        close(first)
        close(second)
      }
      #expect(try SystemCalls.ofdLock(first, exclusive: false))
      #expect(try SystemCalls.ofdLock(second, exclusive: false))
      #expect(try SystemCalls.ofdLock(second, exclusive: true) == false)
    }
  }

  @Test func `a closed descriptor releases its lock`() throws {
    try withFile { path in
      let first = try SystemCalls.open(path, O_RDWR)
      #expect(try SystemCalls.ofdLock(first, exclusive: true))
      close(first)
      let second = try SystemCalls.open(path, O_RDWR)
      defer { close(second) }
      #expect(try SystemCalls.ofdLock(second, exclusive: true))
    }
  }

  @Test func `a failed call says which and why`() throws {
    #expect(throws: SystemCallError(errno: ENOENT, call: "open")) {
      _ = try SystemCalls.open("/nowhere/at/all", O_RDONLY)
    }
    #expect(throws: SystemCallError(errno: ENOTDIR, call: "open")) {
      _ = try SystemCalls.open("/dev/null/x", O_RDONLY)
    }
    #expect(throws: SystemCallError(errno: EBADF, call: "fcntl")) {
      _ = try SystemCalls.ofdLock(-1, exclusive: true)
    }
  }

  @Test func `files are opened close-on-exec and with the given mode`() throws {
    try withFile { path in
      unsafe unlink(path)
      let file = try SystemCalls.open(path, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
      defer { close(file) }
      #expect(fcntl(file, F_GETFD) & FD_CLOEXEC != 0)
      var status = stat()
      unsafe #expect(fstat(file, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600)
    }
  }

  @Test func `a whole file takes a free place, and another's only when it may`() throws {
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

  private func withFile(_ body: (String) throws -> Void) throws {
    let path = "/tmp/tv-\(UUID().uuidString)"
    try Data().write(to: URL(filePath: path))
    defer { unsafe unlink(path) }
    try body(path)
  }
}
