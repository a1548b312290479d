import Foundation
import TokenVaultKeyCustody
import Synchronization
import Testing
import TokenVaultTestSupport
import TokenVaultCrypto

/// gnome-keyring 42 aborts under some orders of calls: see SecretServiceReader.
@Suite(.timeLimit(.minutes(10))) struct SecretServiceLoadTests {
  @Test func tenThousandReadsInARowLeaveTheDaemonAliveAndUnlocked() async throws {
    let service = try PrivateSecretService()
    try await read(service, threads: 1, readsPerThread: 10_000)
  }

  @Test func twoThousandReadsFromSixteenThreadsLeaveItAliveAndUnlocked() async throws {
    let service = try PrivateSecretService()
    try await read(service, threads: 16, readsPerThread: 125)
  }

  @Test func severalThreadsStoreAndDeleteKeysAtOnce() async throws {
    let service = try PrivateSecretService()
    let custodian = service.custodian()
    let group = GroupKeyID.fresh()
    let outcomes = Outcomes()
    await withTaskGroup { tasks in
      for thread in 0..<8 {
        tasks.addTask {
          await onThread {
            for turn in 0..<5 {
              let id = group.with(generation: UInt64(thread * 5 + turn))
              outcomes.note(
                failure { () throws(CustodyError) in
                  let key = try SecretServiceLoadTests.randomKey()
                  try custodian.store(key, as: id)
                  if turn % 2 == 0 { try custodian.delete(id) }
                })
            }
          }
        }
      }
    }
    #expect(outcomes.failures == [])
    let kept = (0..<40).filter { $0 % 5 % 2 == 1 }.map { UInt64($0) }
    #expect(try custodian.generations(of: group.groupID) == kept)
    // Only the connections of the daemon and of dbus-send are left.
    let end = ContinuousClock.now + .seconds(10)
    while try connections(service) > 2, ContinuousClock.now < end { usleep(2000) }
    #expect(try connections(service) == 2)
  }

  private func connections(_ service: PrivateSecretService) throws -> Int {
    try service.run([
      "dbus-send", "--bus=\(service.busAddress)", "--print-reply", "--dest=org.freedesktop.DBus",
      "/org/freedesktop/DBus", "org.freedesktop.DBus.ListNames",
    ]).split(separator: "\n").count { $0.contains("string \":") }
  }

  private static func randomKey() throws(CustodyError) -> SecretBytes {
    do throws(CryptoError) { return try SecretBytes.random(count: 32) } catch { throw .crypto }
  }

  private func read(
    _ service: PrivateSecretService, threads: Int, readsPerThread: Int
  ) async throws {
    let id = GroupKeyID.fresh()
    let key = try SecretBytes.random(count: 32)
    // Longer than a busy machine takes.
    let custodian = SecretServiceCustodian(
      busAddress: service.busAddress, allowPrompt: false, deadlineMilliseconds: 60_000)
    try custodian.store(key, as: id)
    let daemon = service.daemonProcess
    let expected = bytes(key)
    let outcomes = Outcomes()

    await withTaskGroup { group in
      for _ in 0..<threads {
        group.addTask {
          await onThread {
            for _ in 0..<readsPerThread {
              outcomes.note(
                failure { () throws(CustodyError) in
                  if bytes(try custodian.key(id)) != expected { throw .wrongKey }
                })
            }
          }
        }
      }
    }
    #expect(outcomes.failures == [])
    #expect(outcomes.count == threads * readsPerThread)
    #expect(daemon != nil && service.daemonProcess == daemon)
    #expect(custodian.status().isLocked == false)
  }
}

private final class Outcomes: Sendable {
  private let state = Mutex<(count: Int, failures: [CustodyError])>((0, []))

  var count: Int { state.withLock { $0.count } }
  var failures: [CustodyError] { state.withLock { $0.failures } }

  func note(_ failure: CustodyError?) {
    state.withLock {
      $0.count += 1
      if let failure { $0.failures.append(failure) }
    }
  }
}
