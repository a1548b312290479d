import Glibc
import Synchronization

/// One private session for all suites that need any unlocked keyring. It ends with the process,
/// because static properties are never released.
package enum SharedSecretService {
  private static let held = Mutex<PrivateSecretService?>(nil)

  /// The session; the first call starts it.
  package static func get() throws -> PrivateSecretService {
    try held.withLock { held in
      if let held { return held }
      let made = try PrivateSecretService()
      atexit { SharedSecretService.end() }
      held = made
      return made
    }
  }

  private static func end() { held.withLock { $0 = nil } }
}
