import Foundation
import Testing
import TokenVaultModel

@testable import TokenVault
@testable import TokenVaultCLI

/// The reasons why a key is answered at once in a large group. `Benchmarks/run` has the figures.
@Suite(.timeLimit(.minutes(5)))
struct UISpeedTests {
  private static let many = (0..<100_000).map { UIFixtures.account("user\($0)@contoso.example") }

  @Test func onlyTheRowsInTheWindowAreBuilt() {
    var state = UIFixtures.state(Self.many)
    for place in [0, 50_000, 99_999] {
      state.place = place
      let rows = state.visibleAccounts.rows
      #expect(rows.count == state.room - 2 - 1)
      #expect(rows.contains { $0.isSelected && $0.account == Self.many[place] })
      #expect(state.shown.contains(">  user\(place)@contoso.example"))
    }
  }

  @Test func keysAreAnsweredWhileTheGroupIsRead() {
    var state = UIState(group: UIFixtures.group, now: UIFixtures.now)
    _ = state.take(.resized(rows: 24, columns: 80))
    #expect(state.load() == [.load(1)])
    _ = state.take(.read(1, 34_000))
    #expect(state.shown.contains("Reading the group: 34000 accounts…"))
    state.type("?")
    #expect(state.shown.contains("sign in, in the browser or with a code"))
    state.press(.escape)
    #expect(state.type("n") == [.prepare(account: nil)])
    _ = state.take(.loaded(1, UIFixtures.snapshot(UIFixtures.two)))
    // The next reading is under way, too.
    #expect(state.take(.touched).contains(.load(2)))
    _ = state.take(.read(2, 1_000))
    #expect(state.shown.contains("  reading: 1000 accounts\n"))
    state.press(.down)
    #expect(state.shown.contains(">  bob@contoso.example"))
    #expect(state.type("s") == [.start(1, .switchTo(UIFixtures.two[1]))])
  }

  /// The threads behind the state: a form is filled while a reading is held back.
  @Test func aSignInIsPreparedWhileTheGroupIsRead() throws {
    let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    let work = try UIWork(
      Invocation(environment: ["HOME": home.path], workingDirectory: "/"), UIFixtures.group)
    work.reading.suspend()
    work.load(1)
    work.prepare(nil)
    let before = Self.events(of: work)
    #expect(before.count == 1)
    if case .prepared = before.first {} else { Issue.record("\(before)") }
    work.reading.resume()
    if case .loaded(1, let snapshot) = Self.events(of: work).first {
      #expect(snapshot.emptyReason == .groupDoesNotExist)
    } else {
      Issue.record("not read")
    }
  }

  private static func events(of work: UIWork) -> [UIEvent] {
    var poll = pollfd(fd: work.mailbox.reading, events: Int16(POLLIN), revents: 0)
    while unsafe Foundation.poll(&poll, 1, -1) != 1 {}
    return work.mailbox.take()
  }

  @Test func aLongReportIsWrappedOncePerWidth() {
    var state = UIFixtures.state()
    state.type("t")
    let report = TextPage("Signed out", (0..<100_000).map { "signed out  user\($0)" })
    _ = state.take(.finished(1, .done("done", report)))
    guard case .text(let first) = state.page else {
      Issue.record("no page")
      return
    }
    state.press(.pageDown)
    guard case .text(let second) = state.page else {
      Issue.record("no page")
      return
    }
    #expect(second.offset > 0)
    // Not wrapped again: both have one buffer.
    #expect(Self.address(of: first.wrapped) == Self.address(of: second.wrapped))
    _ = state.take(.resized(rows: 24, columns: 40))
    #expect(state.screen().lines.allSatisfy { PlainText.width($0.text) <= 40 })
  }

  private static func address(of lines: [String]) -> UInt {
    unsafe lines.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
  }

  @Test func manyChangesByOtherToolsAreCounted() {
    var state = UIFixtures.state([])
    _ = state.take(.touched)
    let many = Array(Self.many[..<60])
    _ = state.take(.loaded(2, UIFixtures.snapshot(many, after: state.snapshot)))
    #expect(state.log.count == AccountChange.limit + 1)
    #expect(state.log.last?.result == "and 10 more changes")
  }
}
