import ArgumentParser
import TokenVaultSignInTransport

/// What the desktop runs with the address that a provider's page led to; no person does.
struct RedirectCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "redirect", abstract: "Hand a private-use scheme's URL to the sign-in that waits.",
    discussion: """
      EXAMPLES
        tokenvault redirect 'msauth.com.example.app://auth?code=…&state=…'
      """, shouldDisplay: false)

  @Argument(help: "The URL.")
  var url: String
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    guard let directory = invocation.environment["XDG_RUNTIME_DIR"] else {
      throw Failure(.configuration, "XDG_RUNTIME_DIR is not set: nobody can wait for this URL.")
    }
    do { try SchemeHandover.deliver(url: url, directory: directory) } catch {
      switch error {
      case .invalidURL:
        throw Failure(.usage, "This is not the URL of a private-use scheme.")
      case .nobodyWaits:
        throw Failure(.notFound, "No sign-in waits for this URL.", next: "tokenvault sign-in")
      case .refused:
        throw Failure(.refused, "The sign-in that waits does not take this URL.")
      case .failed(let errno):
        throw Failure(
          .inputOutput, "The URL could not be handed over: \(Failure.reason(errno)).")
      }
    }
  }
}
