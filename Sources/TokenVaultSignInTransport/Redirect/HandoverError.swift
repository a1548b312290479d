/// The reason why a redirect could not be delivered to the waiting sign-in.
public enum HandoverError: Error, Hashable, Sendable {
  /// The text is not a URL of a private-use scheme, or is longer than a redirect may be.
  case invalidURL
  /// No sign-in waits for this scheme.
  case nobodyWaits
  /// The waiting sign-in refused the URL, because it belongs to another sign-in.
  case refused
  /// Another failure; the number is errno.
  case failed(errno: Int32)
}
