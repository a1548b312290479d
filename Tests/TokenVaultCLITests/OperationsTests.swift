import Foundation
import Testing
import TokenVaultTestSupport

/// The `console` blocks of docs/operations.md, run in their order on one machine, on the same machine
/// with another keyring, and on a new machine.
@Suite(.timeLimit(.minutes(3)))
struct OperationsTests {
  private static let document = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/operations.md")

  /// The group files that the blocks begin with.
  private static let preparation = """
    printf made-up-password >secret
    for group in team tools; do
      tokenvault group create com.example.$group >/dev/null &&
        tokenvault add --group com.example.$group --service https://git.example.com --username ada \
          <secret >/dev/null || exit 1
    done
    """

  /// What happens to the machine before the commands of a block.
  private static func event(_ name: Substring, _ other: PrivateSecretService) -> String {
    let bus = "export DBUS_SESSION_BUS_ADDRESS='\(other.busAddress)'; "
    return switch name {
    case "keyring-lost": bus
    case "new-machine": bus + "mkdir -p -m 700 new; export HOME=\"$PWD/new\"; "
    case "newer-format":
      "python3 -c 'import glob, sqlite3; "
        + "sqlite3.connect(glob.glob(\".local/share/tokenvault/groups/*.tools.vault\")[0])"
        + ".execute(\"PRAGMA user_version=3\")'; "
    default: ""
    }
  }

  @Test func everyCommandOfOperationsWorksAsShown() throws {
    let service = try PrivateSecretService(.unlocked)
    let lost = try PrivateSecretService(.unlocked)
    let new = try PrivateSecretService(.unlocked)
    let home = try CommandLineFixtures().home(service)
    let prepared = try home.run(Self.preparation)
    try #require(prepared.status == 0, "\(prepared.errors)")
    let text = try String(contentsOf: Self.document, encoding: .utf8)
    let blocks = text.matches(of: #/```console ?(\S*)\n([\s\S]*?)```/#)
    #expect(blocks.count >= 10)
    for block in blocks {
      let name = block.output.1
      #expect(["", "keyring-lost", "new-machine", "newer-format"].contains(name))
      let event = Self.event(name, name == "new-machine" ? new : lost)
      for (command, expected) in Self.steps(block.output.2) {
        let run = try home.run("\(event){ \(command); } 2>&1")
        let isRefused = expected.first?.hasPrefix("tokenvault: ") == true
        let mayFail = isRefused || command.contains("| grep")
        #expect(mayFail || run.status == 0, "\(command): \(run.output)")
        #expect(!isRefused || run.status != 0, "\(command)")
        #expect(
          Transcript.matches(expected.map { $0.replacing("…", with: "{*}") }, run.output),
          "\(command)\n\(run.output)")
      }
    }
  }

  /// The commands, each with the lines that it prints.
  private static func steps(_ block: Substring) -> [(command: String, expected: [String])] {
    var steps: [(command: String, expected: [String])] = []
    for line in block.split(separator: "\n") {
      if line.hasPrefix("$ ") {
        steps.append((String(line.dropFirst(2)), []))
      } else if !steps.isEmpty {
        steps[steps.count - 1].expected.append(String(line))
      }
    }
    return steps
  }
}
