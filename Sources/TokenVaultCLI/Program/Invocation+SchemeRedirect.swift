import TokenVaultSignIn
import TokenVaultSignInTransport
import TokenVault

extension Invocation {
  /// Makes sure that the desktop brings a private-use scheme's redirects to
  /// ``RedirectCommand``; says so when that was not the case yet.
  func register(_ redirectURI: RedirectURI) throws {
    guard case .scheme(let scheme, _) = redirectURI else { return }
    func path(_ name: String) -> String? {
      environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    guard let data = path("XDG_DATA_HOME") ?? path("HOME").map({ $0 + "/.local/share" }) else {
      throw CommandError.noHome
    }
    let registration = SchemeRegistration(
      scheme: scheme, arguments: [try Membership.executable(), "redirect"], dataDirectory: data,
      environment: Self.wholeEnvironment())
    do {
      if try registration.install() {
        tell(
          "The desktop now brings \(scheme): addresses to tokenvault: "
            + "\(PlainText.escaped(registration.path))")
      }
    } catch { throw CommandError.fileNotMade(path: registration.path, errno: error.errno) }
  }
}
