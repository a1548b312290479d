/// The costs of a process's first use of cryptography, paid at a moment of the caller's choice.
public enum CryptoPreparation {
  /// Makes OpenSSL find its algorithms: about half a millisecond, once in a process. What goes wrong
  /// is told by the first use.
  public static func run() { OpenSSL.prepare() }

  /// Lets certificates be verified in this process, by whatever library does so with the same
  /// OpenSSL: microseconds, once in a process. False where OpenSSL has no memory for it.
  public static func forTLS() -> Bool { OpenSSL.knowsDigests }
}
