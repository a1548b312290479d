import TokenVaultKeyCustody
import TokenVaultSystem

extension Invocation {
  /// Shows a message on the desktop of this session.
  func show(_ notification: DesktopNotification) throws(Failure) {
    let address =
      environment["DBUS_SESSION_BUS_ADDRESS"]
      ?? directory(in: "XDG_RUNTIME_DIR").map { "unix:path=\($0)/bus" }
    do throws(CustodyError) {
      // The bus may have to start the daemon.
      try notification.show(address, deadline: Deadline(milliseconds: 10_000))
    } catch { throw Failure.notNotified(error) }
  }
}
