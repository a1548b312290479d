package import TokenVaultSignIn
import TokenVaultModel

/// What a sign-in is at, for whoever waits for it.
public enum SignInEvent: Sendable {
  /// The provider at this host is asked.
  case contacting(host: String)
  /// The user has to sign in at this page; `isOpened` says whether a browser was started for it.
  case waitingForBrowser(HTTPURL, isOpened: Bool)
  /// The user has to type a code on another device.
  case waitingForDevice(DeviceCode)
  /// The browser brought the answer.
  case redirectReceived
  /// Another process asks the provider for the same account.
  case waitingForOtherProcess
  /// The end, good or bad.
  case finished
}

/// Gets tokens from a provider and stores them: blocking, one request of one application at a
/// time. Verifies, then stores, then answers.
package struct Acquisition {
  package let core: VaultCore
  package let directory: ProviderDirectory
  package let keys: ProviderKeys
  package let platform: SignInPlatform
  package let cancellation: Cancellation
  package let report: @Sendable (SignInEvent) -> Void

  package init(
    core: VaultCore, directory: ProviderDirectory, keys: ProviderKeys, platform: SignInPlatform,
    _ cancellation: Cancellation, report: @escaping @Sendable (SignInEvent) -> Void
  ) {
    self.core = core
    self.directory = directory
    self.keys = keys
    self.platform = platform
    self.cancellation = cancellation
    self.report = report
  }

  /// A fresh acquisition that shares nothing with another.
  package init(
    core: VaultCore, platform: SignInPlatform, _ cancellation: Cancellation = Cancellation(),
    report: @escaping @Sendable (SignInEvent) -> Void = { _ in }
  ) {
    self.init(
      core: core, directory: ProviderDirectory(transport: platform.transport),
      keys: ProviderKeys(transport: platform.transport), platform: platform, cancellation,
      report: report)
  }

  func endpoint(
    _ application: ApplicationConfiguration, at authority: Authority, correlationID: String
  ) throws(SignInError) -> TokenEndpoint {
    report(.contacting(host: authority.environment))
    let metadata = try directory.metadata(of: authority, cancellation)
    return TokenEndpoint(
      application, at: metadata, transport: platform.transport,
      correlationID: correlationID.isEmpty ? try CorrelationID.make() : correlationID, cancellation)
  }
}
