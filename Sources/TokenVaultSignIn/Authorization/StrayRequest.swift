/// A request to the redirect listener that does not belong to the sign-in, by the reason.
package enum StrayRequest: String, Sendable, CaseIterable {
  case otherUser = "it came from a process of another user"
  case host = "it named another host"
  case method = "it was not a GET request"
  case path = "nothing is at its path"
  case prefetch = "the browser sent it in advance"
  case embedded = "a frame, an image or a script sent it"
  case noState = "it was no response of a provider"
  case state = "it did not have the state of this sign-in"

  /// The HTTP status to reply with.
  package var status: Int {
    switch self {
    case .otherUser, .embedded: 403
    case .host: 421
    case .method: 405
    case .path: 404
    case .prefetch: 503
    case .noState, .state: 400
    }
  }

  /// The page to reply with.
  package var page: String { self == .otherUser ? RedirectPage.otherUser : RedirectPage.foreign }
}
