public import TokenVaultSignIn

/// The progress of a sign-in.
public enum SignInEvent: Sendable {
  /// A request is sent to the provider at this host.
  case contacting(host: String)
  /// The user has to sign in at this URL; `isOpened` is whether a browser was started for it. The URL
  /// contains the state of the sign-in: show it to the user, and put it into no argument of a program.
  case waitingForBrowser(HTTPURL, isOpened: Bool)
  /// The user has to enter a code on another device.
  case waitingForDevice(DeviceCode)
  /// A request to the redirect listener did not belong to the sign-in, which goes on. The reason is a
  /// fixed sentence about the request, without any text of it.
  case requestRefused(reason: String)
  /// The browser delivered the provider's response.
  case redirectReceived
  /// Another process is requesting a token of the same account from the provider.
  case waitingForOtherProcess
  /// The provider replaced the refresh token, and the group does not accept the new one at the
  /// moment.
  case retryingToStore
  /// The sign-in has ended, with or without an error.
  case finished
}
