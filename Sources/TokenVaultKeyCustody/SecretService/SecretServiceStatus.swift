internal import TokenVaultSystem

/// The state of the Secret Service, found out without a prompt.
package struct SecretServiceStatus: Equatable, Sendable {
  /// Whether the service's name has an owner on the bus.
  package enum Service: Equatable, Sendable {
    /// It runs.
    case running
    /// It is not running, and the bus can start it.
    case activatable
    /// It is not running, and the bus cannot start it.
    case absent
  }

  /// Whether the session bus accepted the connection.
  package internal(set) var isBusReachable = false
  /// nil when the bus gave no answer.
  package internal(set) var service: Service?
  /// Whether there is a default collection; nil when the service gave no answer.
  package internal(set) var hasDefaultCollection: Bool?
  /// Whether the default collection is locked; nil when there is none.
  package internal(set) var isLocked: Bool?
  /// The program that is the service; nil when it does not run, or is an unknown one.
  package internal(set) var program: SecretServiceProgram?
  /// The error that reading a key would meet; nil when it would succeed.
  package internal(set) var failure: CustodyError?

  init(address: String?, deadline: Deadline) {
    do throws(CustodyError) {
      var bus = try SessionBus.open(address, deadline)
      isBusReachable = true
      service = try Self.service(&bus)
      guard service != .absent else { throw .noService }
      if service == .running { program = try SecretServiceProgram(&bus) }
      var reader = try SecretServiceReader.open(address, deadline)
      service = .running
      hasDefaultCollection = true
      guard try reader.isLocked(reader.collection) else {
        isLocked = false
        return
      }
      isLocked = try !reader.isOpenWallet()
      if isLocked == true { throw .locked }
    } catch {
      failure = error
      if error == .noDefaultCollection { hasDefaultCollection = false }
    }
  }

  private static func service(_ bus: inout SessionBus) throws(CustodyError) -> Service {
    let name = "org.freedesktop.secrets"
    let owned = bus.call(.bus("NameHasOwner", "s")) { $0.string(name) }
    let startable = bus.call(.bus("ListActivatableNames"))
    var hasOwner = try bus.reply(to: owned, "b")
    if try hasOwner.uint32() != 0 { return .running }
    var names = try bus.reply(to: startable, "as")
    return try names.strings().contains(name) ? .activatable : .absent
  }
}
