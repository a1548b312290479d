import Testing

@testable import TokenVaultCLI

@Suite(.timeLimit(.minutes(1)))
struct ProgressLineTests {
  /// A clock that the test sets, and everything that was drawn.
  private final class Terminal {
    var time: Int64 = 1_000_000
    var drawn = ""
    var columns: Int? = 80

    func line(_ label: String = "Importing accounts") -> ProgressLine {
      ProgressLine(
        label,
        on: ProgressLine.Screen(
          columns: { self.columns }, time: { self.time }, draw: { self.drawn += $0 }))
    }
  }

  @Test func nothingIsDrawnInTheFirstHalfSecond() {
    let terminal = Terminal()
    let line = terminal.line()
    for done in 1...500 { line.step(done, of: 1000) }
    terminal.time += 499_999
    line.step(501, of: 1000)
    #expect(terminal.drawn.isEmpty)
    terminal.time += 1
    line.step(502, of: 1000)
    #expect(terminal.drawn == "\rImporting accounts: 502 of 1000\u{1b}[K")
  }

  @Test func theLineIsDrawnTenTimesASecondAtMostAndClearedAtTheEnd() {
    let terminal = Terminal()
    let line = terminal.line()
    terminal.time += 500_000
    for done in 1...1000 {
      terminal.time += 1000
      line.step(done, of: 1000)
    }
    #expect(terminal.drawn.split(separator: "\r").count == 11)
    #expect(terminal.drawn.hasSuffix("\r\u{1b}[K"))
  }

  @Test func theLineIsClearedWhenTheWorkFails() {
    let terminal = Terminal()
    do {
      let line = terminal.line()
      terminal.time += 600_000
      line.step(7, of: 1000)
      #expect(terminal.drawn.contains("7 of 1000"))
    }
    #expect(terminal.drawn.hasSuffix("\r\u{1b}[K"))
  }

  @Test func fewStepsAreNeverDrawn() {
    let terminal = Terminal()
    let line = terminal.line()
    terminal.time += 10_000_000
    for done in 1...99 { line.step(done, of: 99) }
    #expect(terminal.drawn.isEmpty)
  }

  @Test func theLineNeverWraps() {
    let terminal = Terminal()
    terminal.columns = 20
    let line = terminal.line()
    terminal.time += 600_000
    line.step(7, of: 1000)
    #expect(terminal.drawn == "\rImporting accounts…\u{1b}[K")
  }
}
