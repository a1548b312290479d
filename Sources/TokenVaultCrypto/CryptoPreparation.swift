/// Pays the start-up cost of cryptography at a moment that the caller chooses.
package enum CryptoPreparation {
  /// Fetches the algorithms that opening a group needs. Takes about half a millisecond, once per
  /// process. A failure is reported by the first operation that needs the algorithm.
  package static func run() { OpenSSL.prepare() }
}
