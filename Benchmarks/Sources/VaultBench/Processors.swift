import Foundation

/// The processors on which the session's bus and keyring run, and on which the measured programs do.
///
/// A kernel may wake the bus on the processor of the program that has just written to it, although
/// another one is idle. Then the two take turns, and a program that works while it waits for the
/// keyring gains nothing.
enum Processors {
  /// Runs `body` while bus and keyring have one processor, and the programs that it starts have
  /// another one.
  /// - Returns: Whether `body` was run: not if this process may use one processor only.
  static func separated(_ body: () throws -> Void) throws -> Bool {
    let allowed = try status("Cpus_allowed_list")
    let all = allowed.split(separator: ",").flatMap { range in
      let ends = range.split(separator: "-").compactMap { Int($0) }
      return Array(ends[0]...ends[ends.count - 1])
    }
    guard all.count > 1 else { return false }
    let services = try processes(["dbus-daemon", "gnome-keyring-d"])
    guard services.count > 1 else { fatalError("no bus and keyring: start it with Benchmarks/run") }
    let ownProcess = "\(ProcessInfo.processInfo.processIdentifier)"
    defer { for process in services + [ownProcess] { try? pin(process, to: allowed) } }
    for process in services { try pin(process, to: "\(all[0])") }
    try pin(ownProcess, to: "\(all[1])")
    try body()
    return true
  }

  private static func pin(_ process: String, to processors: String) throws {
    try Command("taskset", "--all-tasks", "--cpu-list", "--pid", processors, process)()
  }

  private static func status(_ name: String) throws -> String {
    let lines = try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(
      separator: "\n")
    return lines.compactMap { line in
      line.hasPrefix("\(name):\t") ? String(line.dropFirst(name.count + 2)) : nil
    }.first ?? "0"
  }

  /// The processes of this session that have one of the names.
  private static func processes(_ names: [String]) throws -> [String] {
    guard let session = ProcessInfo.processInfo.environment["TV_SESSION"] else { return [] }
    let files = FileManager.default
    return try files.contentsOfDirectory(atPath: "/proc").filter { id in
      // A process may have ended since.
      guard Int(id) != nil, let name = files.contents(atPath: "/proc/\(id)/comm"),
        names.contains(String(decoding: name.dropLast(), as: UTF8.self)),
        let environment = files.contents(atPath: "/proc/\(id)/environ")
      else { return false }
      return environment.split(separator: 0).contains(Data("TV_SESSION=\(session)".utf8)[...])
    }
  }
}
