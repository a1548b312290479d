import Foundation
import Synchronization
import TokenVault
import TokenVaultModel
import TokenVaultSignIn
import TokenVaultTestSupport

/// A browser on its own thread, which follows the provider's pages and sends the response to the
/// listener.
final class TestBrowser: BrowserOpening {
  let username = Mutex("ada@contoso.example")
  let hand: HandBrowser
  /// Replaces the sign-in at the address, if present.
  let script = Mutex<(@Sendable (HandBrowser, String) throws -> Void)?>(nil)
  /// The page that the listener returned.
  let lastPage = Mutex("")
  /// The pages that were opened; the provider's page in the place of the start page that led to it.
  let opened = Mutex<[String]>([])
  /// The addresses as they were given, which a browser has in its arguments.
  let arguments = Mutex<[String]>([])

  init(_ provider: String) { hand = HandBrowser(provider) }

  func open(_ address: HTTPURL) -> Bool {
    let start = address.description
    arguments.withLock { $0.append(start) }
    // The listener serves the start page when this call has returned.
    let isStart = start.contains("/start/")
    if !isStart { opened.withLock { $0.append(start) } }
    let (name, script) = (username.withLock { $0 }, script.withLock { $0 })
    Thread.detachNewThread { [self] in
      do {
        let url = try HandBrowser.provider(startedAt: start)
        if isStart { opened.withLock { $0.append(url) } }
        if let script { return try script(hand, url) }
        let location = try hand.signIn(at: url, as: name)
        let page = try RawHTTP.send("GET", location)
        lastPage.withLock { $0 = page.text }
      } catch {
        // The sign-in then times out, and the test fails with that.
        lastPage.withLock { $0 = "\(error)" }
      }
    }
    return true
  }
}
