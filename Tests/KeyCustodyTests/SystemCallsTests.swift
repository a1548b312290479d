import Foundation
import SystemCalls
import Testing

@Suite struct SystemCallsTests {
  @Test func `an exclusive lock keeps out every other description until it is given up`() throws {
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
      try SystemCalls.ofdUnlock(first)
      #expect(try SystemCalls.ofdLock(second, exclusive: true))
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
    #expect(throws: SystemCallError(errno: ENOTDIR, call: "openat")) {
      let null = try SystemCalls.open("/dev/null", O_RDONLY)
      defer { close(null) }
      _ = try SystemCalls.openat(null, "x", O_RDONLY)
    }
    #expect(throws: SystemCallError(errno: EBADF, call: "fcntl")) {
      _ = try SystemCalls.ofdLock(-1, exclusive: true)
    }
  }

  @Test func `files are opened close-on-exec and with the given mode`() throws {
    try withFile { path in
      let directory = try SystemCalls.open(
        URL(filePath: path).deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY)
      defer { close(directory) }
      let name = "\(UUID().uuidString)"
      let file = try SystemCalls.openat(directory, name, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
      defer {
        close(file)
        unsafe unlinkat(directory, name, 0)
      }
      #expect(fcntl(file, F_GETFD) & FD_CLOEXEC != 0)
      var status = stat()
      unsafe #expect(fstat(file, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600)
    }
  }

  private func withFile(_ body: (String) throws -> Void) throws {
    let path = "/tmp/tv-\(UUID().uuidString)"
    try Data().write(to: URL(filePath: path))
    defer { unsafe unlink(path) }
    try body(path)
  }
}
