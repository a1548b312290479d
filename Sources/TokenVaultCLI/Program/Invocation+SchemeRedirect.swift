import TokenVaultSignIn
import TokenVaultSignInTransport
import TokenVault

extension Invocation {
  /// Registers ``RedirectCommand`` with the desktop as the handler of a private-use scheme's
  /// redirects, and prints a line if it was not registered yet.
  func register(_ redirectURI: RedirectURI) throws {
    guard case .scheme(let scheme, _) = redirectURI else { return }
    let home = directory(in: "HOME")
    guard let data = directory(in: "XDG_DATA_HOME") ?? home.map({ $0 + "/.local/share" }) else {
      throw CommandError.noHome
    }
    let registration = SchemeRegistration(
      scheme: scheme, arguments: [try Membership.executable(), "redirect"], dataDirectory: data,
      environment: Self.wholeEnvironment())
    do {
      if try registration.install() {
        tell(
          "The desktop now opens \(scheme): URLs with tokenvault: "
            + "\(PlainText.escaped(registration.path))")
      }
    } catch { throw CommandError.fileNotMade(path: registration.path, errno: error.errno) }
  }
}
