package import TokenVaultSystem

/// A message of the desktop (Desktop Notifications Specification, org.freedesktop.Notifications).
package struct DesktopNotification: Sendable {
  /// One line.
  package let summary: String
  /// The text below it, without markup.
  package let body: String

  package init(summary: String, body: String) {
    self.summary = summary
    self.body = body
  }

  /// Shows the message. The bus may start a notification daemon for it.
  /// - Parameter busAddress: As in `DBUS_SESSION_BUS_ADDRESS`.
  /// - Throws: ``CustodyError/noBus``, ``CustodyError/noService`` and others of a conversation.
  package func show(_ busAddress: String?, deadline: Deadline) throws(CustodyError) {
    var bus = try SessionBus.open(busAddress, deadline)
    let call = DBusCall(
      destination: "org.freedesktop.Notifications", path: "/org/freedesktop/Notifications",
      interface: "org.freedesktop.Notifications", member: "Notify", signature: "susssasa{sv}i")
    let serial = bus.call(call) { writer in
      writer.string("TokenVault")
      // It replaces no other message.
      writer.uint32(0)
      writer.string("dialog-password")
      writer.string(summary)
      writer.string(Self.withoutMarkup(body))
      writer.noStrings()
      writer.dictionary("desktop-entry", variant: "tokenvault")
      // -1: the daemon decides how long it is shown.
      writer.uint32(.max)
    }
    _ = try bus.reply(to: serial, "u")
  }

  /// Daemons take the body for markup.
  private static func withoutMarkup(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      default: result.append(character)
      }
    }
  }
}
