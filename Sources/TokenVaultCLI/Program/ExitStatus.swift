/// The exit status of a command: the codes of sysexits.h, and 4 and 130.
package enum ExitStatus: Int32, Sendable {
  case done = 0
  case unexpected = 1
  /// The user must sign in.
  case signInNeeded = 4
  case usage = 64
  /// Damaged or tampered data.
  case damaged = 65
  case notFound = 66
  /// The Secret Service or the provider cannot be reached.
  case unreachable = 69
  case cannotCreate = 73
  case inputOutput = 74
  case busy = 75
  /// The provider answered with an error.
  case provider = 76
  /// Locked, refused, or a wrong passphrase.
  case refused = 77
  /// A bad manifest or configuration.
  case configuration = 78
  case interrupted = 130

  /// The name in JSON of an error that has no name of its own.
  var code: String { "\(self)" }
}
