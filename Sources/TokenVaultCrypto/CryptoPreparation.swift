/// The costs of a process's first use of cryptography, paid at a moment of the caller's choice.
public enum CryptoPreparation {
  /// Makes OpenSSL find its algorithms: about half a millisecond, once in a process. What goes wrong
  /// is told by the first use.
  public static func run() { OpenSSL.prepare() }
}
