internal import TokenVaultSystem

/// What a diagnosis sees of the Secret Service, without any prompt.
package struct SecretServiceStatus: Equatable, Sendable {
  /// Whether something answers for the service's name.
  package enum Service: Equatable, Sendable {
    /// It runs.
    case running
    /// It does not run, and the bus knows how to start it.
    case activatable
    /// It does not run and cannot be started.
    case absent
  }

  /// Whether the session bus let us in.
  package internal(set) var isBusReachable = false
  /// Nil when the bus could not say.
  package internal(set) var service: Service?
  /// Whether there is a default collection; nil when the service could not say.
  package internal(set) var hasDefaultCollection: Bool?
  /// Whether the default collection is locked; nil when there is none to ask.
  package internal(set) var isLocked: Bool?
  /// What stands in the way of reading a key; nil when nothing does.
  package internal(set) var failure: CustodyError?

  init(address: String?, deadline: Deadline) {
    do throws(CustodyError) {
      var bus = try SessionBus.open(address, deadline)
      isBusReachable = true
      service = try Self.service(&bus)
      guard service != .absent else { throw .noService }
      var reader = try SecretServiceReader.open(address, deadline)
      service = .running
      hasDefaultCollection = true
      try reader.requireUnlocked()
      isLocked = false
    } catch {
      failure = error
      switch error {
      case .noDefaultCollection: hasDefaultCollection = false
      case .locked: isLocked = true
      default: break
      }
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
