import Glibc
import Synchronization

/// One private session for all suites that only need some unlocked keyring. It ends with the
/// process: nothing would ever release a suite's static property.
public enum SharedSecretService {
  private static let held = Mutex<PrivateSecretService?>(nil)

  /// The session, started by the first call.
  public static func get() throws -> PrivateSecretService {
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
