import ArgumentParser
import TokenVaultSignInTransport

/// The desktop runs this command with the URL that a provider's page redirected to. It is hidden:
/// people never run it.
struct RedirectCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "redirect", abstract: "Pass a private-use scheme's URL to the waiting sign-in.",
    discussion: """
      EXAMPLES
        tokenvault redirect 'msauth.com.example.app://auth?code=…&state=…'
      """, shouldDisplay: false)

  @Argument(help: "The URL.")
  var url: String
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    guard let directory = invocation.environment["XDG_RUNTIME_DIR"] else {
      throw Failure(
        .configuration, "XDG_RUNTIME_DIR is not set, so no sign-in can be waiting for this URL.",
        next: "tokenvault sign-in --device-code")
    }
    do { try SchemeHandover.deliver(url: url, directory: directory) } catch {
      switch error {
      case .invalidURL:
        throw Failure(usage: "This URL has no private-use scheme.")
      case .nobodyWaits:
        throw Failure(.notFound, "No sign-in is waiting for this URL.", next: "tokenvault sign-in")
      case .refused:

        throw Failure(
          .refused, "The waiting sign-in does not accept this URL. Nothing was stored.",
          next: "tokenvault sign-in")
      case .failed(let errno):
        throw Failure(
          .inputOutput,
          "The URL could not be passed to the sign-in: \(Failure.reason(errno)). Nothing was stored.",
          next: "tokenvault sign-in")
      }
    }
  }
}
