/// A failed system call: its name and errno.
package struct SystemCallError: Error, Equatable, Sendable {
  /// The errno value, for example `ENOENT`.
  package let errno: Int32
  /// The call's name, for example `open`.
  package let call: String

  /// A failure of `call` with the given errno value.
  package init(errno: Int32, call: String) {
    self.errno = errno
    self.call = call
  }
}
