import Glibc
import Synchronization
import TokenVault
import TokenVaultModel

/// The group whose passphrase was typed during a command.
package final class TypedPassphrase: Sendable {
  private let group = Mutex<GroupName?>(nil)

  func note(_ name: GroupName) { group.withLock { $0 = name } }

  /// Names `group unlock` after the first command for which the passphrase of a group was typed.
  func offerUnlock(_ invocation: Invocation) {
    guard let group = group.withLock(\.self), !invocation.options.isJSON,
      isatty(STDERR_FILENO) == 1
    else { return }
    // absent is an answer: the command has succeeded, and a hint is not worth an error.
    do {
      guard KernelUnlock(GroupSession(try invocation.configuration(group))).takeOffer() else {
        return
      }
    } catch { return }
    invocation.tell(
      "Each command asks for this passphrase, and takes half a second to check it. To open the group "
        + "without it for some time: tokenvault group unlock \(group) --for 8h")
  }
}
