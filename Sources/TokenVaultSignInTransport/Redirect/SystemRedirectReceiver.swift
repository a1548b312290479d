import Glibc
public import TokenVaultSignIn
import TokenVaultSystem

/// Receives redirects on this machine: on a loopback address, or by a private-use scheme that is
/// registered with the desktop.
public struct SystemRedirectReceiver: RedirectReceiving {
  private let runtimeDirectory: String?

  /// - Parameter runtimeDirectory: the user's (`XDG_RUNTIME_DIR`); nil where there is none, and
  ///   then a private-use scheme is answered with ``SignInError/redirectUnavailable(_:)`` `ENOENT`.
  public init(runtimeDirectory: String?) { self.runtimeDirectory = runtimeDirectory }

  /// Begins to listen.
  public func listen(for uri: RedirectURI) throws(SignInError) -> any RedirectListener {
    switch uri {
    case .loopback(let host, let port, let path):
      do throws(SystemCallError) {
        return try LoopbackListener(host, port: port, path: path)
      } catch { throw .redirectUnavailable(error.errno) }
    case .scheme(let scheme, let rest):
      guard let runtimeDirectory else { throw .redirectUnavailable(ENOENT) }
      return try SchemeListener(scheme, rest: rest, runtimeDirectory: runtimeDirectory)
    }
  }
}
