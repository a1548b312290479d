import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore

@Suite(.timeLimit(.minutes(5))) struct PathSafetyTests {
  private func reason(_ path: String) -> StoreError? {
    do throws(StoreError) {
      _ = try LockedGroup(path: path)
      return nil
    } catch { return error }
  }

  @Test func aLinkToAGroupFileIsRefused() throws {
    let scratch = try Scratch()
    let group = try FreshGroup(scratch("a.vault"))
    try FileManager.default.createSymbolicLink(
      atPath: scratch("b.vault"), withDestinationPath: group.path)
    #expect(
      reason(scratch("b.vault"))
        == .unsafe(path: scratch("b.vault"), reason: .symbolicLink))
    #expect(reason(group.path) == nil)
  }

  @Test func aLinkToTheDirectoryIsRefused() throws {
    let scratch = try Scratch()
    try FileManager.default.createDirectory(
      atPath: scratch("real"), withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700])
    _ = try FreshGroup(scratch("real/a.vault"))
    try FileManager.default.createSymbolicLink(
      atPath: scratch("link"), withDestinationPath: scratch("real"))
    #expect(
      reason(scratch("link/a.vault")) == .unsafe(path: scratch("link"), reason: .symbolicLink))
  }

  @Test(arguments: [0o640, 0o604, 0o620, 0o601, 0o666]) func aFileWithWidePermissionsIsRefused(
    mode: Int
  ) throws {
    let scratch = try Scratch()
    let group = try FreshGroup(scratch("a.vault"))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: group.path)
    #expect(reason(group.path) == .unsafe(path: group.path, reason: .wideMode(UInt32(mode))))
  }

  @Test(arguments: [0o750, 0o701, 0o777]) func aDirectoryWithWidePermissionsIsRefused(mode: Int)
    throws
  {
    let scratch = try Scratch()
    let group = try FreshGroup(scratch("a.vault"))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: scratch.path)
    #expect(reason(group.path) == .unsafe(path: scratch.path, reason: .wideMode(UInt32(mode))))
    #expect(throws: StoreError.unsafe(path: scratch.path, reason: .wideMode(UInt32(mode)))) {
      try FileSafety.makeDirectory(scratch.path)
    }
  }

  /// As root, the test gives a file to another user; otherwise it uses a file of root.
  @Test func aFileOfAnotherUserIsRefused() throws {
    let scratch = try Scratch()
    let group = try FreshGroup(scratch("a.vault"))
    if geteuid() == 0 {
      #expect(unsafe chown(group.path, 65534, 65534) == 0)
      #expect(reason(group.path) == .unsafe(path: group.path, reason: .foreignOwner(uid: 65534)))
    } else {
      #expect(reason("/etc/passwd") == .unsafe(path: "/etc", reason: .foreignOwner(uid: 0)))
      #expect(throws: StoreError.unsafe(path: "/etc/passwd", reason: .foreignOwner(uid: 0))) {
        try FileSafety.checkFile("/etc/passwd")
      }
    }
  }

  @Test func aPathThatIsNotARegularFileIsRefused() throws {
    let scratch = try Scratch()
    #expect(reason(scratch("none.vault")) == .notFound(path: scratch("none.vault")))
    #expect(unsafe mkfifo(scratch("pipe"), 0o600) == 0)
    #expect(reason(scratch("pipe")) == .unsafe(path: scratch("pipe"), reason: .wrongType))
    #expect(unsafe mkdir(scratch("directory"), 0o700) == 0)
    #expect(reason(scratch("directory")) == .unsafe(path: scratch("directory"), reason: .wrongType))
  }

  @Test func aFileThatIsNotAGroupFileIsReportedAsSuch() throws {
    let scratch = try Scratch()
    try write([], to: scratch("empty"))
    #expect(reason(scratch("empty")) == .notAGroupFile(path: scratch("empty")))
    let group = try FreshGroup(scratch("a.vault"))
    try group.open().database.execute("PRAGMA application_id=1")
    #expect(reason(group.path) == .notAGroupFile(path: group.path))
    try write(Array(repeating: 65, count: 5000), to: scratch("text"))
    #expect(reason(scratch("text")) == .damaged(rows: nil))
  }

  @Test func aNewerFormatVersionIsReportedAsSuch() throws {
    let scratch = try Scratch()
    let group = try FreshGroup(scratch("a.vault"))
    try group.open().database.execute("PRAGMA user_version=7")
    #expect(reason(group.path) == .unsupportedVersion(7))
  }

  @Test func creationDoesNotReplaceAnExistingFile() throws {
    let scratch = try Scratch()
    let group = try FreshGroup(scratch("a.vault"))
    let before = try contents(group.path)
    #expect(throws: StoreError.exists(path: group.path)) { _ = try FreshGroup(group.path) }
    #expect(try contents(group.path) == before)
  }

  @Test func newFilesAreAccessibleOnlyToTheirOwner() throws {
    let scratch = try Scratch()
    let group = try FreshGroup(scratch("a.vault"))
    let opened = try group.open()
    try opened.write { _ = try SampleGroup.add(SampleGroup.alice, to: $0) }
    let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
    #expect(names.count == 3)
    for name in names {
      var status = stat()
      #expect(unsafe lstat(scratch(name), &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600, "\(name)")
    }
    try FileSafety.makeDirectory(scratch("one/two"))
    try FileSafety.checkDirectory(scratch("one"))
    #expect(withExtendedLifetime(opened) { true })
  }

  /// Runs a script that may mount file systems. $1 is the probe, $2 a directory for the mount
  /// point.
  private func inMountNamespace(_ script: String) throws -> ProgramResult {
    let scratch = try Scratch()
    try write([UInt8](repeating: 3, count: 32), to: scratch("key"))
    let arguments = [
      "unshare", "-rm", "sh", "-euc", "mkdir -m 700 \"$2/m\"; " + script, "sh", try probePath(),
      scratch.path,
    ]
    let ran = try run(arguments)
    // If only root may create namespaces, run as root.
    guard ran.errors.hasPrefix("unshare:") else { return ran }
    return try run(["sudo", "-n"] + arguments)
  }

  @Test func onAReadOnlyFileSystemAGroupIsReadAndNotWritten() throws {
    let ran = try inMountNamespace(
      """
      mount -t tmpfs -o size=4m,mode=700 tmpfs "$2/m"
      V="$2/m/a ?#%.vault"
      "$1" create "$V" "$2/key"
      before=$(sha256sum "$V")
      mount -o remount,ro "$2/m"
      "$1" read "$V" "$2/key"
      "$1" token "$V" "$2/key" || echo "token: $?"
      mount -o remount,rw "$2/m"
      "$1" read "$V" "$2/key"
      test -e "$V-wal"
      mount -o remount,ro "$2/m"
      "$1" read "$V" "$2/key"
      "$1" token "$V" "$2/key" || echo "token: $?"
      test "$before" = "$(sha256sum "$V")"; echo unchanged
      """)
    let lines = ["done", "done", "token: 1", "done", "done", "token: 1", "unchanged", ""]
    #expect(ran.output == lines.joined(separator: "\n"), "\(ran.errors)")
    let errors = ran.errors.split(separator: "\n")
    #expect(errors.count == 2)
    #expect(errors.allSatisfy { $0.hasPrefix("readOnly(path:") && $0.contains("/m/a ?#%.vault") })
  }

  /// A process that was killed leaves commits in the log that are not in the file yet.
  @Test func onAReadOnlyFileSystemTheLogIsNeverIgnored() throws {
    let ran = try inMountNamespace(
      """
      mount -t tmpfs -o size=4m,mode=700 tmpfs "$2/m"
      "$1" create "$2/m/a.vault" "$2/key"
      "$1" killed-token "$2/m/a.vault" "$2/key" || test -s "$2/m/a.vault-wal"
      mount -o remount,ro "$2/m"
      "$1" read "$2/m/a.vault" "$2/key" || echo "with the index: $?"
      mount -o remount,rw "$2/m"
      rm "$2/m/a.vault-shm"
      mount -o remount,ro "$2/m"
      "$1" read "$2/m/a.vault" "$2/key" || echo "without the index: $?"
      """)
    #expect(ran.output == "done\nwith the index: 1\nwithout the index: 1\n")
    let errors = ran.errors.split(separator: "\n").filter { !$0.contains("Killed") }
    #expect(errors.first == "ProbeError(reason: \"token\")", "\(ran.errors)")
    #expect(errors.last?.hasPrefix("readOnly(path:") == true, "\(ran.errors)")
  }

  /// What is read-only in a container may be written outside it.
  @Test func aChangeElsewhereIsSeenOnAReadOnlyFileSystem() throws {
    let ran = try inMountNamespace(
      """
      mount -t tmpfs -o size=4m,mode=700 tmpfs "$2/m"
      "$1" create "$2/m/a.vault" "$2/key"
      mkdir -m 700 "$2/r"; mount --bind "$2/m" "$2/r"; mount -o remount,bind,ro "$2/r"
      mkfifo "$2/go"
      "$1" read-again "$2/r/a.vault" "$2/key" <"$2/go" >"$2/out" 2>&1 &
      exec 3>"$2/go"
      until grep -q first "$2/out"; do sleep 0.01; done
      test ! -e "$2/m/a.vault-wal"
      "$1" token "$2/m/a.vault" "$2/key"
      printf 'xx' >&3; wait; cat "$2/out"
      """)
    #expect(ran.output == "done\ndone\nfirst-0\nchanged, second-0\n", "\(ran.errors)")
  }

  @Test func aFullDiskHasItsOwnErrorAndChangesNothing() throws {
    let ran = try inMountNamespace(
      """
      mount -t tmpfs -o size=1m,mode=700 tmpfs "$2/m"
      "$1" create "$2/m/a.vault" "$2/key"
      "$1" fill "$2/m/a.vault" "$2/key" || echo "fill: $?"
      "$1" read "$2/m/a.vault" "$2/key"
      """)
    #expect(ran.output == "done\nfill: 1\ndone\n", "\(ran.errors)")
    #expect(ran.errors == "diskFull\n")
  }

  @Test func onlyOneProcessHoldsTheLockAtATime() throws {
    let scratch = try Scratch()
    let lock = scratch("lock")
    try FileLock.hold(lock, waiting: 0) {
      #expect(throws: StoreError.busy) { try FileLock.hold(lock, waiting: 20) {} }
    }
    try FileLock.hold(lock, waiting: 0) {}
    try FileManager.default.createSymbolicLink(
      atPath: scratch("link"), withDestinationPath: scratch("lock"))
    #expect(throws: StoreError.io(call: "open", code: ELOOP)) {
      try FileLock.hold(scratch("link"), waiting: 0) {}
    }
  }
}
