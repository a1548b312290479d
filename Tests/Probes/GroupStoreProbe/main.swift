// Performs one operation on a group file and prints "done" once the operation is acknowledged.
// Tests kill it at a system call before that, or run many of these processes at once.
import Glibc
import TokenVaultCrypto
import TokenVaultGroupStore
import TokenVaultModel
import TokenVaultSystem

struct ProbeError: Error { let reason: String }

func record(_ name: String) -> AccountRecord {
  var record = AccountRecord(
    homeAccountID: name, environment: "id.example", authorityType: .oidc)
  record.profiles = [
    .init(tenantID: "t", localAccountID: name, username: "\(name)@x.example", environment: "")
  ]
  return record
}

func one(_ transaction: GroupTransaction, _ name: String) throws -> StoredAccount {
  guard let account = try transaction.accounts(named: CaseFolding.fold(name)).first else {
    throw ProbeError(reason: "no account \(name)")
  }
  return account
}

func setToken(_ transaction: GroupTransaction, _ name: String, _ token: String) throws {
  var account = try one(transaction, name)
  try transaction.store(
    Credential(kind: .refreshToken, clientID: "c", environment: "id.example"),
    CredentialPayload(secret: Redacted(Array(token.utf8))), in: &account)
  try transaction.update(&account)
}

func token(_ transaction: GroupTransaction, _ name: String) throws -> String {
  let account = try one(transaction, name)
  guard let stored = account.record.stored.first else {
    throw ProbeError(reason: "no token of \(name)")
  }
  return String(
    decoding: try transaction.payload(of: stored, in: account).secret.reveal(), as: UTF8.self)
}

/// The key in a file, or nil if there is none.
func contents(_ path: String) -> [UInt8]? {
  let descriptor = unsafe open(path, O_RDONLY)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var bytes = [UInt8](repeating: 0, count: 64)
  let count = unsafe read(descriptor, &bytes, bytes.count)
  return count == 32 ? Array(bytes[..<32]) : nil
}

func secret(_ path: String) throws -> [UInt8] {
  guard let bytes = contents(path) else { throw ProbeError(reason: "no key at \(path)") }
  return bytes
}

/// The key of a group whose keyring part is this secret, and whose device part is made of it.
func key(_ secret: [UInt8], of header: GroupHeader) throws -> GenerationKey {
  let parts = KeyParts(
    keyring: try SecretBytes(copying: secret),
    device: try SecretBytes(copying: secret.map { $0 ^ 0x55 }))
  return try GenerationKey(parts, of: header.groupID)
}

func acknowledge() {
  unsafe _ = write(1, "done\n", 5)
}

func create(_ path: String, _ keyPath: String) throws {
  func build() throws {
    let header = GroupHeader(
      groupID: [UInt8](repeating: 1, count: 16), generation: 1, custody: .secretService)
    let group = try GroupCreation.draft(
      path, header: header, key: try key(secret(keyPath), of: header))
    try group.write { transaction in
      for index in 0..<3 {
        _ = try transaction.insert(record("a\(index)"))
        try setToken(transaction, "a\(index)", "first-\(index)")
      }
      transaction.state.current = try one(transaction, "a0").tag
    }
  }
  try GroupCreation.remove(GroupCreation.draftPath(for: path))
  try build()
  try GroupCreation.publish(path)
  acknowledge()
}

func unlocked(_ path: String, _ keyPath: String) throws -> UnlockedGroup {
  let locked = try LockedGroup(path: path)
  let key = try key(secret(keyPath), of: locked.header)
  return try locked.unlock(key.key.clone())
}

func signOut(_ path: String, _ keyPath: String, to newKeyPath: String) throws {
  let group = try unlocked(path, keyPath)
  let next = try key(secret(newKeyPath), of: group.header)
  try group.write { transaction in
    _ = try transaction.rotate(
      to: next, erasing: [try one(transaction, "a1")], boot: "boot", deletesOldKey: true)
  }
  guard try group.truncateLog() else { throw ProbeError(reason: "log not truncated") }
  acknowledge()
}

/// A mix of reads, writes and sign-outs. The directory `keys` replaces the custodian: it has one
/// file per generation.
struct Mixed {
  let path: String
  let keys: String
  let number: Int
  var changes = 0
  var shared = 0
  var signedOut = 0

  mutating func run(_ count: Int) throws {
    for round in 0..<count {
      while true {
        do {
          try step(round)
          break
        } catch StoreError.generationChanged {
        } catch StoreError.busy {
        }
      }
    }
    let line = "\(number) \(changes) \(shared) \(signedOut)\n"
    unsafe _ = write(1, line, line.utf8.count)
  }

  func openCurrent() throws -> UnlockedGroup {
    // After a rotation, the other process removes the old key. Then read the header again.
    for _ in 0..<1000 {
      let locked = try LockedGroup(path: path)
      if let bytes = contents("\(keys)/\(locked.header.generation)") {
        let key = try key(bytes, of: locked.header)
        return try locked.unlock(key.key.clone())
      }
    }
    throw ProbeError(reason: "no key for any generation")
  }

  mutating func step(_ round: Int) throws {
    let own = "p\(number)"
    switch (round + number) % 20 {
    case 0 where number < 8: try rotate(round)
    case 1...6:
      let expected = changes == 0 ? "first" : "\(own)-\(changes)"
      let found = try openCurrent().read { try token($0, own) }
      guard found == expected else { throw ProbeError(reason: "\(found), not \(expected)") }
    case 7...12:
      let next = changes + 1
      try openCurrent().write { try setToken($0, own, "\(own)-\(next)") }
      changes = next
    case 13...16:
      try openCurrent().write { transaction in
        let before = Int(try token(transaction, "shared")) ?? 0
        try setToken(transaction, "shared", String(before + 1))
      }
      shared += 1
    case 17:
      try openCurrent().write { $0.state.current = try one($0, own).tag }
    default:
      _ = try openCurrent().read { transaction in
        guard try transaction.forEachAccount({ _ in }) == 0 else {
          throw ProbeError(reason: "damage")
        }
      }
    }
  }

  /// Signs this process's account out and in again. The lock serializes rotations.
  mutating func rotate(_ round: Int) throws {
    try FileLock.hold(keys + "/lock", waiting: 60_000) { try rotateAlone(round) }
  }

  private mutating func rotateAlone(_ round: Int) throws {
    let group = try openCurrent()
    let old = group.header.generation
    let next = try RandomBytes.make(32)
    try WholeFile.write(next, to: "\(keys)/\(old + 1)", replacing: true)
    let own = "p\(number)"
    let (saved, isLast) = ("\(own)-\(changes)", changes == 0)
    try group.write { transaction in
      _ = try transaction.rotate(
        to: try key(next, of: group.header), erasing: [try one(transaction, own)], boot: "boot",
        deletesOldKey: true)
    }
    guard unsafe unlink("\(keys)/\(old)") == 0 else { throw ProbeError(reason: "old key stays") }
    signedOut += 1
    // The sign-out is done, so a repeated step would not find the account.
    while true {
      do {
        return try group.write { transaction in
          guard try transaction.accounts(named: CaseFolding.fold(own)).isEmpty else {
            throw ProbeError(reason: "\(own) came back")
          }
          _ = try transaction.insert(record(own))
          try setToken(transaction, own, isLast ? "first" : saved)
        }
      } catch StoreError.busy {
      }
    }
  }
}

let arguments = CommandLine.arguments
do {
  switch arguments.dropFirst().first {
  case "create": try create(arguments[2], arguments[3])
  case "import":
    let group = try unlocked(arguments[2], arguments[3])
    try group.write { transaction in
      for index in 0..<8 {
        _ = try transaction.insert(record("i\(index)"))
        try setToken(transaction, "i\(index)", "imported-\(index)")
      }
    }
    acknowledge()
  case "token":
    let group = try unlocked(arguments[2], arguments[3])
    try group.write { try setToken($0, "a0", "second-0") }
    acknowledge()
  case "killed-token":
    let group = try unlocked(arguments[2], arguments[3])
    try group.write { try setToken($0, "a0", "second-0") }
    kill(getpid(), SIGKILL)
  case "changes":
    // Changes a large token several times over one connection, and prints each change that is made.
    let group = try unlocked(arguments[2], arguments[3])
    for number in 1...(Int(arguments[4]) ?? 0) {
      try group.write { transaction in
        try setToken(transaction, "a0", "\(number) " + String(repeating: "x", count: 4000))
      }
      unsafe _ = write(1, "\(number)\n", String(number).utf8.count + 1)
    }
  case "switch":
    let group = try unlocked(arguments[2], arguments[3])
    try group.write { $0.state.current = try one($0, "a2").tag }
    acknowledge()
  case "sign-out": try signOut(arguments[2], arguments[3], to: arguments[4])
  case "read":
    let group = try unlocked(arguments[2], arguments[3])
    guard try group.read({ try token($0, "a0") }) == "first-0" else {
      throw ProbeError(reason: "token")
    }
    acknowledge()
  case "read-again":
    // Reads, waits for a line, and reads again; opens the group again if it has to.
    var group = try unlocked(arguments[2], arguments[3])
    for _ in 0..<2 {
      var line: String
      do { line = try group.read { try token($0, "a0") } } catch StoreError.generationChanged {
        group = try unlocked(arguments[2], arguments[3])
        line = try "changed, " + group.read { try token($0, "a0") }
      }
      line += "\n"
      unsafe _ = write(1, line, line.utf8.count)
      var byte: UInt8 = 0
      unsafe _ = read(0, &byte, 1)
    }
  case "fill":
    let group = try unlocked(arguments[2], arguments[3])
    let large = String(repeating: "x", count: 60_000)
    for index in 0..<100 {
      try group.write { transaction in
        _ = try transaction.insert(record("f\(index)"))
        try setToken(transaction, "f\(index)", large)
      }
    }
    acknowledge()
  case "mixed":
    var mixed = Mixed(path: arguments[2], keys: arguments[3], number: Int(arguments[4]) ?? 0)
    try mixed.run(Int(arguments[5]) ?? 0)
  default: exit(64)
  }
} catch {
  let line = "\(error)\n"
  unsafe _ = write(2, line, line.utf8.count)
  exit(1)
}
