import Foundation
import Testing
import TokenVaultTestSupport

/// Refreshes on a disk that is full, and in a process that may write no large files.
@Suite(.timeLimit(.minutes(10))) struct RefreshStorageTests {
  private static let ada = "ada@contoso.example"

  private func signedIn() throws -> SignedInMachine {
    let bench = try SignedInMachine()
    try bench.signIn(Self.ada)
    return bench
  }

  /// Runs a script with the vault on a disk of 1 MiB. `$V` is the vault's directory, `fill` fills
  /// the disk, and `answered N` waits until the provider has answered N refreshes.
  private func onSmallDisk(_ bench: SignedInMachine, _ script: String) throws -> RunResult {
    let namespace = geteuid() == 0 ? "-m" : "--map-current-user --keep-caps -m"
    let file = try bench.machine.write(
      """
      set -e
      cp -a "$V" "$V.full"
      mount -t tmpfs -o size=1m,mode=700 none "$V"
      cp -a "$V.full/." "$V/"
      fill() { dd if=/dev/zero of="$V/fill" bs=1k 2>"$V.dd" || true; }
      answered() {
        python3 - "$1" <<'END'
      import json, os, sys, time, urllib.request
      while True:
          with urllib.request.urlopen(os.environ["U"] + "/control/counters") as answer:
              if json.load(answer).get("refreshes", 0) >= int(sys.argv[1]):
                  break
          time.sleep(0.01)
      END
      }
      set +e
      \(script)
      """, to: "small-disk.sh")
    return try bench.machine.shell(
      "exec unshare \(namespace) --propagation private bash '\(file)'",
      environment: ["V": bench.machine.vault.path, "U": bench.provider.url])
  }

  @Test func aFullDiskIsNoticedBeforeTheRequestIsSent() throws {
    let bench = try signedIn()
    let ran = try onSmallDisk(
      bench,
      """
      fill
      "$T" token --force-refresh; echo "status $?"
      rm "$V/fill"
      "$T" token --force-refresh >"$V.token"; echo "status $?"
      """)
    #expect(ran.output == "status 74\nstatus 0\n", "\(ran.output) \(ran.errors)")
    #expect(ran.errors.contains("The disk is full; nothing was changed."))
    #expect(try bench.provider.counter("refreshRequests") == 1)
    #expect(try bench.provider.counter("reuses") == 0)
  }

  @Test func aDiskThatFillsUpDuringTheRequestLosesNothing() throws {
    let bench = try signedIn()
    try bench.provider.fault(#"{"grant": "refresh_token", "delayAfter": 3000}"#)
    let ran = try onSmallDisk(
      bench,
      """
      "$T" token --force-refresh >"$V.token" & refresh=$!
      answered 1
      fill
      wait $refresh; echo "status $?"
      rm "$V/fill"
      "$T" token --force-refresh >"$V.token"; echo "status $?"
      """)
    #expect(ran.output == "status 0\nstatus 0\n", "\(ran.output) \(ran.errors)")
    #expect(!ran.errors.contains("trying for 60 s"))
    #expect(try bench.provider.counter("refreshes") == 2)
    #expect(try bench.provider.counter("reuses") == 0)
  }

  @Test func aLimitOnTheSizeOfFilesIsNoticedBeforeTheRequestIsSent() throws {
    let bench = try signedIn()
    let ran = try bench.machine.shell("ulimit -f 200; exec \"$T\" token --force-refresh")
    #expect(ran.status == 74, "\(ran.errors)")
    #expect(!ran.wasKilled && ran.output.isEmpty)
    #expect(try bench.provider.counter("refreshRequests") == 0)
    try bench.machine.succeed("token", "--force-refresh")
  }

  /// A process that holds the group's file for longer than the command tries.
  @Test func aCommandThatCannotStoreTheTokenSaysThatTheSignInMayBeLost() throws {
    let bench = try signedIn()
    try bench.provider.fault(#"{"grant": "refresh_token", "delayAfter": 10000}"#)
    let refresh = try bench.machine.start([built("tokenvault"), "token", "--force-refresh"])
    while try bench.provider.counter("refreshes") == 0, refresh.isRunning { usleep(10_000) }
    let input = Pipe()
    let writer = try bench.machine.start(
      [
        "/usr/bin/python3", "-c",
        "import sqlite3, sys; group = sqlite3.connect(sys.argv[1], isolation_level=None); "
          + "group.execute('BEGIN IMMEDIATE'); sys.stdin.read()", bench.machine.file,
      ], input: input.fileHandleForReading)
    let ran = try refresh.wait()
    try input.fileHandleForWriting.close()
    _ = try writer.wait()
    #expect(ran.status == 75, "\(ran.errors)")
    #expect(ran.output.isEmpty)
    #expect(ran.errors.contains("trying for 60 s"))
    #expect(ran.errors.contains("The sign-in may be lost; other accounts are not affected."))
    #expect(ran.errors.contains("\nnext: tokenvault sign-in \(Self.ada)\n"), "\(ran.errors)")
  }
}
