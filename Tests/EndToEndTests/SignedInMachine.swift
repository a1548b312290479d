import Foundation
import Testing
import TokenVaultTestSupport

/// A machine whose user signs in at ``ProviderProcess``. The provider's token lifetime decides
/// whether a token is still valid for half an hour, so that no test waits for a clock.
final class SignedInMachine {
  let machine: Machine
  let provider: ProviderProcess

  init() throws {
    machine = try Machine()
    provider = try ProviderProcess(#"{"deviceInterval": 1}"#)
  }

  var authority: String { provider.url + "/organizations/v2.0" }

  /// Signs a user in with a device code.
  func signIn(_ username: String) throws {
    let command = [
      try built("tokenvault"), "sign-in", "--device-code", "--client-id", ProviderProcess.client,
      "--authority", authority, "--scope", "User.Read",
    ]
    let running = try machine.start(command)
    var approved = false
    while !approved, running.isRunning {
      let codes = try JSONSerialization.jsonObject(with: provider.report("devices").body)
      guard let code = (codes as? [String])?.first else {
        usleep(20_000)
        continue
      }
      try provider.answerDevice(code, as: username)
      approved = true
    }
    let ran = try running.wait()
    try #require(ran.status == 0, "\(ran.errors)")
  }

  /// The arguments that print a token which is valid for at least half an hour. Without such a
  /// stored token, the command refreshes.
  func token(_ username: String) -> [String] {
    ["token", "--scope", "User.Read", "--account", username, "--min-validity", "30m"]
  }

  /// Stores a token that does not last long enough for the next ``token(_:)``.
  func expire(_ username: String) throws {
    try provider.change(#"{"accessTokenLifetime": 1200}"#)
    try machine.succeed("token", "--scope", "User.Read", "--account", username, "--force-refresh")
    try provider.change(#"{"accessTokenLifetime": 7200}"#)
  }
}
