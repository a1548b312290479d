import Foundation
import KeyCustody
import Synchronization
import Testing
import TokenVaultTestSupport
import VaultCrypto

/// gnome-keyring 42 aborts under some orders of calls: see SecretServiceReader.
@Suite struct SecretServiceLoadTests {
  @Test func `ten thousand reads in a row leave the daemon alive and unlocked`() async throws {
    let service = try PrivateSecretService()
    try await read(service, threads: 1, readsPerThread: 10_000)
  }

  @Test func `two thousand reads from sixteen threads leave it alive and unlocked`() async throws {
    let service = try PrivateSecretService()
    try await read(service, threads: 16, readsPerThread: 125)
  }

  private func read(
    _ service: PrivateSecretService, threads: Int, readsPerThread: Int
  ) async throws {
    let id = GroupKeyID.fresh()
    let key = try SecretBytes.random(count: 32)
    // Here only the deadline of a test run counts, for the machine may be busy.
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
