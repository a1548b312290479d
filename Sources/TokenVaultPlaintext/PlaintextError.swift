/// The reason why a file cannot be read, or a secret not be taken out of it.
package enum PlaintextError: Error, Hashable, Sendable {
  /// The file uses a form outside of the subset that is read; the line, counted from 1.
  case notUnderstood(line: Int)
  /// The file without the secrets would not be read as the same file without them.
  case notSeparable
}
