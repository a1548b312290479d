package import TokenVaultCrypto

/// The answer of a helper to the tool that called it.
package struct HelperAnswer: Sendable {
  /// The bytes for standard output, which may contain a secret.
  package var output: Redacted<[UInt8]>
  /// A message for standard error, without a secret; empty for none.
  package var message: String
  /// The exit status that the protocol asks for.
  package var status: Int32

  /// An answer; without arguments, the empty one of a helper that has nothing to say.
  package init(_ output: [UInt8] = [], message: String = "", status: Int32 = 0) {
    self.output = Redacted(output)
    self.message = message
    self.status = status
  }

  /// An answer of text.
  package init(_ text: String, message: String = "", status: Int32 = 0) {
    self.init(Array(text.utf8), message: message, status: status)
  }
}
