import Foundation
import Synchronization

/// A session with KeePassXC, whose database is its collection.
extension PrivateSecretService {
  var databasePath: String { directory.appending(path: "home/db.kdbx").path }

  private static let database = Mutex<Data?>(nil)

  /// The settings of FdoSecrets are KeePassXC's own, but for the confirmations.
  /// - Parameter confirms: whether it asks before a program reads or deletes an item.
  package func writeKeePassXCConfiguration(confirms: Bool = false) throws {
    let folder = directory.appending(path: "home/.config/keepassxc")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(
      """
      [General]
      ConfigVersion=2
      SingleInstance=false
      UpdateCheckMessageShown=true
      [GUI]
      CheckForUpdates=false
      [FdoSecrets]
      Enabled=true
      ShowNotification=false
      ConfirmAccessItem=\(confirms)
      ConfirmDeleteItem=\(confirms)

      """.utf8
    ).write(to: folder.appending(path: "keepassxc.ini"))
  }

  /// Starts the program with its database open.
  func startKeePassXC() throws {
    if !FileManager.default.fileExists(atPath: databasePath) {
      try writeKeePassXCConfiguration()
      try writeDatabase()
    }
    daemon = try start(["keepassxc", "--pw-stdin", databasePath], input: Self.password + "\n")
  }

  /// Restarts the program, so that it asks before a program reads or deletes an item.
  package func confirmEachAccess() throws {
    try killDaemon()
    try writeKeePassXCConfiguration(confirms: true)
    try startKeePassXC()
    try waitUntil(.unlocked) { $0.failure == nil }
  }

  func tellKeePassXC(_ method: String, _ arguments: String...) throws {
    try run(
      [
        "dbus-send", "--bus=\(busAddress)", "--print-reply",
        "--dest=org.keepassxc.KeePassXC.MainWindow", "/keepassxc",
        "org.keepassxc.KeePassXC.MainWindow.\(method)",
      ] + arguments)
  }

  /// The database is made once: a key derivation that resists guessing takes its time.
  private func writeDatabase() throws {
    try Self.database.withLock { database in
      if let database { return try database.write(to: URL(filePath: databasePath)) }
      let text = directory.appending(path: "home/db.xml")
      try Data(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <KeePassFile><Meta><RecycleBinEnabled>True</RecycleBinEnabled><CustomData><Item>
        <Key>FDO_SECRETS_EXPOSED_GROUP</Key><Value>{00000000-0000-0000-0000-000000000001}</Value>
        </Item></CustomData></Meta><Root><Group><UUID>AAAAAAAAAAAAAAAAAAAAAQ==</UUID>
        <Name>Passwords</Name></Group></Root></KeePassFile>
        """.utf8
      ).write(to: text)
      try run(
        ["keepassxc-cli", "import", "-q", "-p", "-t", "100", text.path, databasePath],
        input: "\(Self.password)\n\(Self.password)\n")
      database = try Data(contentsOf: URL(filePath: databasePath))
    }
  }
}
