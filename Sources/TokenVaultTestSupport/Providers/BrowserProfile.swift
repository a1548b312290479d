import Foundation

/// A browser's cookies and settings, kept from one visit to the next. Only one visit may use a
/// profile at a time.
package final class BrowserProfile: Sendable {
  let directory: URL

  /// Creates an empty profile.
  package init() throws { directory = try PeerScript.directory("profile") }

  deinit { PeerScript.remove(directory) }
}
