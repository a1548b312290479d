import Foundation
import TokenVaultSystem
import Testing

@Suite(.timeLimit(.minutes(2))) struct SystemCallsTests {
  @Test func anExclusiveLockExcludesEveryOtherDescription() throws {
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

  @Test func sharedLocksCoexist() throws {
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

  @Test func aClosedDescriptorReleasesItsLock() throws {
    try withFile { path in
      let first = try SystemCalls.open(path, O_RDWR)
      #expect(try SystemCalls.ofdLock(first, exclusive: true))
      close(first)
      let second = try SystemCalls.open(path, O_RDWR)
      defer { close(second) }
      #expect(try SystemCalls.ofdLock(second, exclusive: true))
    }
  }

  @Test func aFailedCallNamesItselfAndItsErrno() throws {
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

  @Test func filesAreOpenedCloseOnExecAndWithTheGivenMode() throws {
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

  private func withFile(_ body: (String) throws -> Void) throws {
    let path = "/tmp/tv-\(UUID().uuidString)"
    try Data().write(to: URL(filePath: path))
    defer { unsafe unlink(path) }
    try body(path)
  }
}
