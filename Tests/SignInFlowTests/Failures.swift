import Foundation
import TokenVaultSignIn
import Synchronization
import TokenVault
import TokenVaultModel

/// The vault's error of a call; nil where it threw none.
func failure<R>(of body: () throws -> R) throws -> VaultError? {
  do {
    _ = try body()
    return nil
  } catch let error as VaultError { return error }
}

extension VaultError {
  var signIn: SignInError? { if case .signIn(let error) = self { error } else { nil } }
  var reason: InteractionReason? {
    if case .interactionRequired(let reason, _, _) = self { reason } else { nil }
  }
  /// What the provider said when it wanted the user.
  var refusal: OAuthError? { if case .refused(let error)? = reason { error } else { nil } }
}

/// A call on a thread of its own.
final class OtherThread<R: Sendable>: Sendable {
  private let result = Mutex<Result<R, any Error>?>(nil)
  private let done = DispatchSemaphore(value: 0)

  init(_ body: @escaping @Sendable () throws -> R) {
    Thread.detachNewThread { [self] in
      let outcome = Result { try body() }
      result.withLock { $0 = outcome }
      done.signal()
    }
  }

  /// Waits for the call's end; at most once.
  func wait() throws -> R {
    done.wait()
    return try result.withLock { try $0?.get() } ?? { throw CancellationError() }()
  }
}

extension SignInBench {
  /// Everything that the group has.
  func accounts() throws -> [Account] { try vault.groupSession().accounts(.all).accounts }

  /// Waits until the provider has counted something so often.
  func wait(for counter: String, _ count: Int) throws {
    while try provider.counter(counter) < count { Thread.sleep(forTimeInterval: 0.01) }
  }
}
