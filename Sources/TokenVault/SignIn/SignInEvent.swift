public import TokenVaultSignIn

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
