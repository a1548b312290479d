import Glibc
package import TokenVaultSignIn
import TokenVaultSystem

/// Receives redirects on this machine: on a loopback address, or through a private-use scheme that
/// is registered with the desktop.
package struct SystemRedirectReceiver: RedirectReceiving {
  private let runtimeDirectory: String?
  /// Makes sure that the desktop delivers the URLs of a scheme; nil to take that for granted.
  private let registrar: SchemeRegistrar?

  /// - Parameter runtimeDirectory: the user's runtime directory (`XDG_RUNTIME_DIR`). If it is nil,
  ///   private-use schemes fail with ``SignInError/redirectUnavailable(_:)`` `ENOENT`.
  package init(runtimeDirectory: String?, registrar: SchemeRegistrar? = nil) {
    self.runtimeDirectory = runtimeDirectory
    self.registrar = registrar
  }

  /// Starts to listen.
  package func listen(for uri: RedirectURI) throws(SignInError) -> any RedirectListener {
    switch uri {
    case .loopback(let host, let port, let path):
      do throws(SystemCallError) {
        return try LoopbackListener(host, port: port, path: path)
      } catch { throw .redirectUnavailable(error.errno) }
    case .scheme(let scheme, let rest):
      guard let runtimeDirectory else { throw .redirectUnavailable(ENOENT) }
      try registrar?.require(scheme)
      return try SchemeListener(scheme, rest: rest, runtimeDirectory: runtimeDirectory)
    }
  }
}
