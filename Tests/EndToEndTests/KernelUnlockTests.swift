import Foundation
import Testing
import TokenVaultKeyCustody
import TokenVaultTestSupport

/// `group unlock` keeps a key outside of the process. No sign-out may leave it there.
@Suite(.timeLimit(.minutes(10))) struct KernelUnlockTests {
  /// The process that unlocks is delayed between reading the key and storing it.
  @Test func aSignOutDuringAnUnlockLeavesNoFormerKey() throws {
    let machine = try Machine()
    try machine.succeed("import", "-", input: Person.cache(.ada, .bob))
    let header = try machine.header()
    let unlocking = try machine.start([
      "/usr/bin/strace", "-f", "-qq", "-o", "/dev/null",
      "-e", "trace=add_key", "-e", "inject=add_key:delay_enter=3000000",
      try built("tokenvault"), "group", "unlock", "--for", "1h",
    ])
    // The note precedes the key.
    let note = machine.vault.appending(path: "groups/.\(Machine.group).unlocked").path
    while !FileManager.default.fileExists(atPath: note), unlocking.isRunning { usleep(1000) }
    try machine.succeed("sign-out", Person.ada.username)
    let unlocked = try unlocking.wait()
    #expect(unlocked.status == 0, "\(unlocked.errors)")
    let former = GroupKeyID(groupID: header.groupID, generation: header.generation)
    let kept = try KernelKeyring.secondsLeft(former)
    #expect(kept == nil, "the former key is in the kernel keyring")
    try machine.succeed("group", "lock")
    #expect(try KernelKeyring.forgetAll(of: header.groupID) == false)
  }

  /// Containers forbid keyctl(2). A key that a process outside keeps cannot be removed there.
  @Test func aForbiddenKernelKeyringIsCleanOnlyIfTheGroupWasNotUnlocked() throws {
    let machine = try Machine()
    try machine.succeed("import", "-", input: Person.cache(.ada, .bob))
    func signOut(_ name: String) throws -> RunResult {
      try machine.run([
        "/usr/bin/strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=keyctl:error=EPERM",
        try built("tokenvault"), "sign-out", name,
      ])
    }
    let clean = try signOut(Person.ada.username)
    #expect(clean.status == 0, "\(clean.errors)")
    try machine.succeed("group", "unlock", "--for", "1h")
    let unchecked = try signOut(Person.bob.username)
    #expect(unchecked.status == 74)
    #expect(unchecked.output.contains("former key in the kernel keyring: could not be checked"))
    #expect(try machine.usernames() == [])
    try machine.succeed("group", "lock")
  }
}
