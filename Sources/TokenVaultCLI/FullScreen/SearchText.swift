import Glibc
import TokenVaultModel

/// The names of the accounts in one buffer, which a search passes over in a few milliseconds.
///
/// Names are compared as everywhere: in lower case, byte by byte.
struct SearchText: Sendable {
  private var bytes: [UInt8] = []
  /// The end of each account's text.
  private var ends: [Int] = []

  init(_ accounts: [Account], _ places: [String]) {
    ends.reserveCapacity(accounts.count)
    for (account, place) in zip(accounts, places) {
      // No typed text contains a line feed, so none matches across two names.
      for name in [account.shownName, account.alias ?? "", place] where !name.isEmpty {
        let folded = CaseFolding.fold(name)
        bytes += folded.contains(0) ? folded.map { max($0, 0x0a) } : folded
        bytes.append(0x0a)
      }
      ends.append(bytes.count)
    }
    // strstr(3) ends here.
    bytes.append(0)
  }

  /// The accounts with a name that contains the text, in order.
  func matches(_ text: String) -> [Int] {
    let wanted = CaseFolding.fold(text) + [0]
    guard wanted.count > 1 else { return Array(ends.indices) }
    var (found, account): ([Int], Int) = ([], 0)
    unsafe bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      var start = 0
      while let hit = unsafe wanted.withUnsafeBytes({ wanted in
        unsafe wanted.baseAddress.flatMap {
          unsafe strstr(
            (base + start).assumingMemoryBound(to: CChar.self),
            $0.assumingMemoryBound(to: CChar.self))
        }
      }) {
        let place = unsafe UnsafeRawPointer(hit) - base
        while ends[account] <= place { account += 1 }
        found.append(account)
        start = ends[account]
      }
    }
    return found
  }
}
