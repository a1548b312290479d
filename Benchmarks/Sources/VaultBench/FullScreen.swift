import Foundation

/// The time from a key to the screen in `tokenvault ui`, with the default group as it is. The script
/// that presses the keys prints the rows: "any key" has a bound of 50 ms at 100,000 accounts.
enum FullScreen {
  static func run(_ program: String, environment: [String: String], keys: Int) throws {
    guard let python = environment["TOKENVAULT_PYTHON"], let script = environment["BENCH_KEYS"]
    else { return }
    let process = Process()
    process.executableURL = URL(filePath: python)
    process.arguments = [script, program, "\(keys)"]
    try process.run()
    process.waitUntilExit()
  }
}
