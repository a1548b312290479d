import TokenVault
import TokenVaultModel

/// Reads the group for the screen. Everything that takes time in proportion to the number of
/// accounts happens here, away from the keys.
struct GroupReader {
  private let session: GroupSession
  private var last: Snapshot?
  private var mark: GroupSession.ChangeMark?
  /// The list before the last one. The screen has released it by the time that another one takes its
  /// place, so that a large list is freed here.
  private var spare: AccountList?

  init(_ session: GroupSession) { self.session = session }

  /// Opens the group and reads nothing. A group that does not exist yet is not an error.
  func open() throws(VaultError) { _ = try session.changeMark() }

  /// The present content. A group that did not change since the last call is not read again.
  /// - Parameter progress: receives the number of accounts that were read.
  mutating func snapshot(progress: (Int) -> Void) throws(VaultError) -> Snapshot {
    let mark = try session.changeMark()
    let device = try DeviceInformation(session.configuration)
    if var same = last, let mark, mark == self.mark {
      (same.device, same.changes) = (device, [])
      spare = nil
      return same
    }
    let listing = try AccountEnumeration(session).accounts(.all, progress: progress)
    let list = AccountList(listing.accounts)
    let snapshot = Snapshot(
      list: list, current: try current(list, listing.damagedRows),
      emptyReason: listing.emptyReason, damagedRows: listing.damagedRows, device: device,
      changes: last.map { list.changes(since: $0.list, now: session.now) } ?? [])
    (spare, last, self.mark) = (last?.list, snapshot, mark)
    return snapshot
  }

  /// Nil if no account is chosen, or if damage, which the listing reports, prevents the search.
  private func current(_ list: AccountList, _ damagedRows: Int) throws(VaultError) -> Account? {
    if let chosen = list.current { return chosen }
    // Without a choice, only the single account that a group ever had is current.
    guard list.accounts.count == 1 else { return nil }
    do { return try session.account(.current) } catch {
      switch error {
      case .ambiguousCurrentAccount, .noCurrentAccount, .noGroup: return nil
      default:
        guard damagedRows == 0 else { return nil }
        throw error
      }
    }
  }
}
