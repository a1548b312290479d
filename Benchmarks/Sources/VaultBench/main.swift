import Foundation

// Prints figures and their ratios, and does not judge them. `Benchmarks/run` builds and starts it in
// a private session with a real keyring.
let environment = ProcessInfo.processInfo.environment
guard let program = environment["TOKENVAULT_PROGRAM"], let home = environment["HOME"] else {
  FileHandle.standardError.write(Data("start it with Benchmarks/run\n".utf8))
  exit(64)
}
let runs = environment["BENCH_RUNS"].flatMap(Int.init) ?? 200
let largest = environment["BENCH_ACCOUNTS"].flatMap(Int.init) ?? 100_000

func row(_ name: String, _ figure: String) {
  let line = name.padding(toLength: 52, withPad: " ", startingAt: 0) + " " + figure + "\n"
  FileHandle.standardOutput.write(Data(line.utf8))
}

func cold(_ count: Int) throws -> Double {
  let token = Command(
    program, "token", "--scope", "User.Read", "--account", "user\(count / 2)@example.com")
  let lookup = Command("secret-tool", "lookup", "app", "bench")
  func measure(_ place: String) throws -> Double {
    let (ours, theirs) = try alternate(runs, { try token() }, { try lookup() })
    row("tokenvault token, \(count) accounts\(place)", ours.text)
    row("secret-tool lookup\(place)", theirs.text)
    row("  ratio of medians (bound 0.30, aim 0.25)", decimal(ours.median / theirs.median))
    return ours.median
  }
  let median = try measure("")
  if try !Processors.separated({ _ = try measure(", keyring elsewhere") }) {
    row("the same, keyring on another processor", "not measured: there is one processor")
  }
  return median
}

row("machine", "\(ProcessInfo.processInfo.activeProcessorCount) cores")
try Accounts.fill(program, from: 0, to: 10, in: home)
let small = try cold(10)

if let peer = environment["BENCH_GIT_HELPER"] {
  try GitHelper.run(program, peer: peer, in: home, runs: runs)
}

let importing = try Accounts.fill(program, from: 10, to: 10_000, in: home)
row("tokenvault import, 10,000 accounts (bound 2000 ms)", milliseconds(importing) + " ms")
var (list, start) = (Sample(), Sample())
let listing = Command(program, "list")
let json = Command(program, "list", "--json")
(list, start) = try alternate(max(5, runs / 20), { try listing() }, { try json() })
row("tokenvault list, 10,000 accounts (bound 60 ms)", list.text)
row("tokenvault list --json", start.text)

var signOut = Sample()
for number in 0..<max(3, runs / 40) {
  let command = Command(program, "sign-out", "user\(9_000 + number)@example.com")
  try signOut.add { try command() }
}
row("tokenvault sign-out, one of 10,000 (bound 50 ms)", signOut.text)
// The bound leaves little beside the keyring, which stores one part of a key and deletes another.
let (store, clear) = try alternate(
  max(5, runs / 20),
  { try Command("sh", "-c", "printf one | secret-tool store --label=x app bench-sign-out")() },
  { try Command("secret-tool", "clear", "app", "bench-sign-out")() })
let keyring = store.median + clear.median
row("secret-tool store and secret-tool clear", milliseconds(keyring) + " ms")
row("  ratio of medians", decimal(signOut.median / keyring))

if largest > 10_000 {
  try Accounts.fill(program, from: 10_000, to: largest, in: home)
  let large = try cold(largest)
  row("  \(largest) accounts to 10 (bound 1.30)", decimal(large / small))
}
try FullScreen.run(program, environment: environment, keys: runs)

let (vault, bare) = try await DurableWrite.run(
  directory: home, environment: environment, runs: runs)
row("durable write of 4 KB over an open vault", vault.text)
row("the same bytes into bare SQLite, WAL and FULL", bare.text)
row("  ratio of medians (bound 1.30)", decimal(vault.median / bare.median))

let (silent, python) = try await SilentToken.run(
  directory: home, environment: environment, runs: runs)
row("acquireTokenSilent, open vault of 100 accounts", silent.text)
row("  in microseconds, median", decimal(silent.median * 1e6))
if let python {
  row("MSAL for Python, the same in memory, microseconds", decimal(python * 1e6))
  row("  ratio of medians (bound 1.00)", decimal(silent.median / python))
}
