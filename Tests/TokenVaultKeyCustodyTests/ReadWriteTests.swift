import Foundation
import Testing
import TokenVaultSystem

@Suite(.timeLimit(.minutes(2))) struct ReadWriteTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func aPipeThatArrivesInPiecesIsReadToItsEnd() async throws {
    let sent = (0..<300_000).map { UInt8($0 & 255) }
    let pipe = Pipe()
    async let writing: Void = onThread {
      // Larger than a pipe holds, so that every write but the last is cut short.
      #expect(throws: Never.self) {
        let output = pipe.fileHandleForWriting
        try SystemCalls.writeAll(sent, to: output.fileDescriptor)
        try output.close()
      }
    }
    // A released pipe closes its descriptors.
    defer { withExtendedLifetime(pipe) {} }
    let input = pipe.fileHandleForReading.fileDescriptor
    #expect(try SystemCalls.readAll(input, limit: sent.count) == sent)
    await writing
  }

  @Test func inputOfMoreThanTheLimitIsRefused() throws {
    let path = try directory.write("file", bytes: 70_000)
    let descriptor = try SystemCalls.open(path, O_RDONLY)
    defer { close(descriptor) }
    #expect(try SystemCalls.readAll(descriptor, limit: 69_999) == nil)
  }

  @Test func aBufferIsFilledAsFarAsTheInputReaches() throws {
    let path = try directory.write("file", bytes: 10)
    let content = Array(try Data(contentsOf: URL(filePath: path)))
    for size in [0, 4, 10, 20] {
      let descriptor = try SystemCalls.open(path, O_RDONLY)
      defer { close(descriptor) }
      var buffer = [UInt8](repeating: 0, count: size)
      let count = unsafe try buffer.withUnsafeMutableBytes {
        unsafe try SystemCalls.readAll(descriptor, into: $0)
      }
      #expect(buffer.prefix(count) == content.prefix(size))
    }
  }

  @Test func aFailedReadOrWriteNamesItselfAndItsErrno() throws {
    #expect(throws: SystemCallError(errno: EBADF, call: "read")) {
      _ = try SystemCalls.readAll(-1, limit: 1)
    }
    #expect(throws: SystemCallError(errno: ENOSPC, call: "write")) {
      let full = try SystemCalls.open("/dev/full", O_WRONLY)
      defer { close(full) }
      try SystemCalls.writeAll([1], to: full)
    }
  }
}
