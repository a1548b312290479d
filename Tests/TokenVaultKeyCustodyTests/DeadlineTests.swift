import Foundation
import Testing
import TokenVaultSystem

@Suite(.timeLimit(.minutes(2))) struct DeadlineTests {
  @Test func timeOnlyRunsOut() {
    let deadline = Deadline(milliseconds: 60_000)
    #expect((1...60_000).contains(deadline.millisecondsLeft))
    #expect(!deadline.hasPassed)
    #expect((1...60).contains(deadline.socketTimeout.tv_sec))
    for milliseconds in [0, -1, .min] {
      let past = Deadline(milliseconds: milliseconds)
      #expect(past.millisecondsLeft == 0 && past.hasPassed)
      // To a socket, zero would mean without end.
      #expect(past.socketTimeout.tv_sec == 0 && past.socketTimeout.tv_usec == 1)
    }
    #expect(Deadline(milliseconds: .max).millisecondsLeft > 0)
  }

  @Test func aWaitEndsWithTheEventOrWithTheDeadline() throws {
    let pipe = Pipe()
    // A released pipe closes its descriptors.
    defer { withExtendedLifetime(pipe) {} }
    let input = pipe.fileHandleForReading.fileDescriptor
    let start = ContinuousClock.now
    #expect(try Deadline(milliseconds: 50).wait(for: POLLIN, on: input) == false)
    #expect(ContinuousClock.now - start >= .milliseconds(50))
    try SystemCalls.writeAll([1], to: pipe.fileHandleForWriting.fileDescriptor)
    #expect(try Deadline(milliseconds: 60_000).wait(for: POLLIN, on: input))
  }
}
