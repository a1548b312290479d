import TokenVault
import TokenVaultCrypto
import TokenVaultModel

/// A file that KeePassXC, or another program of its kind, exported: CSV, or the XML of KeePass 2.
struct KeePassExport: CredentialStore {
  /// The name of the file.
  let file: String
  private let entries: [Entry]

  private struct Entry {
    var title = ""
    var group: [String] = []
    var username = ""
    var secret = ""
    var url = ""
    var expiresOn: Timestamp?
    /// The parts that the vault has no place for.
    var others: [String] = []
    var isInRecycleBin = false
    /// Whether the file has the password in an encrypted form.
    var isProtected = false
  }

  /// - Throws: ``Failure`` for a database, which only its program opens, and for any other file.
  init(_ bytes: [UInt8], file: String) throws(Failure) {
    self.file = file
    guard !bytes.starts(with: [0x03, 0xd9, 0xa2, 0x9a]) else {
      throw .badStore(
        file, "it is an encrypted database",
        next: "keepassxc-cli export --format xml \(PlainText.shellWord(file)) | "
          + "tokenvault import --from keepassxc -")
    }
    let isXML = bytes.first { $0 > 0x20 && $0 < 0x7f } == UInt8(ascii: "<")
    guard let entries = isXML ? Self.entries(ofXML: bytes) : Self.entries(ofCSV: bytes) else {
      throw .badStore(file, "it is neither CSV nor XML as KeePassXC exports it")
    }
    self.entries = entries
  }

  func items() -> [StoreItem] {
    entries.map { entry in
      StoreItem(
        name: (entry.group + [entry.title]).joined(separator: "/"), content: Self.content(entry),
        place: .fixed("the file is an export, and no store: delete it, and the entry in KeePassXC"),
        rest: entry.others.isEmpty ? nil : entry.others.joined(separator: ", "))
    }
  }

  private static func content(_ entry: Entry) -> StoreItem.Content {
    if entry.isInRecycleBin { return .unusable("it is in the recycle bin") }
    let fields = [entry.title, entry.username, entry.secret, entry.url]
    if fields.contains(where: { $0.uppercased().contains("{REF:") }) {
      return .unusable("it refers to another entry")
    }
    if entry.isProtected { return .unusable("its password is encrypted in the file") }
    return .password(
      address: entry.url, username: entry.username, secret: Array(entry.secret.utf8)
    ) {
      $0.expiresOn = entry.expiresOn
    }
  }

  // MARK: CSV

  /// CSV has only the name of the recycle bin, which KeePassXC gives it in the user's language.
  private static let recycleBins: Set<String> = [
    "Recycle Bin", "Papierkorb", "Corbeille", "Papelera", "Papelera de reciclaje", "Cestino",
    "Prullenbak", "Reciclagem", "Lixeira", "Корзина", "Кошик", "Koš", "Kôš", "Kosz",
    "Papperskorgen",
    "Papperskorg", "Papirkurv", "Roskakori", "Lomtár", "Çöp Kutusu", "Geri Dönüşüm Kutusu", "回收站",
    "資源回收筒", "ゴミ箱", "ごみ箱", "휴지통",
  ]

  private static func entries(ofCSV bytes: [UInt8]) -> [Entry]? {
    guard let rows = CSVText.rows(bytes), let first = rows.first else { return nil }
    let names = first.map { String(decoding: $0, as: UTF8.self).lowercased() }
    guard names.contains("password"), names.contains("url"), names.contains("username") else {
      return nil
    }
    var entries: [Entry] = []
    for row in rows.dropFirst() where row != [[]] {
      guard row.count == names.count else { return nil }
      var entry = Entry()
      for (name, value) in zip(names, row.map({ String(decoding: $0, as: UTF8.self) })) {
        switch name {
        case "group": entry.group = value.split(separator: "/").dropFirst().map(String.init)
        case "title": entry.title = value
        case "username": entry.username = value
        case "password": entry.secret = value
        case "url": entry.url = value
        case "icon", "last modified", "created": break
        default: if !value.isEmpty { entry.others.append(name) }
        }
      }
      entry.isInRecycleBin = entry.group.first.map(recycleBins.contains) ?? false
      entries.append(entry)
    }
    return entries
  }

  // MARK: XML

  private static func entries(ofXML bytes: [UInt8]) -> [Entry]? {
    guard let file = XMLElement(parsing: bytes), file.name == "KeePassFile",
      let root = file.child("Root")
    else { return nil }
    let meta = file.child("Meta")
    let bin = meta?.text(of: "RecycleBinEnabled") == "False" ? "" : meta?.text(of: "RecycleBinUUID")
    var entries: [Entry] = []
    func collect(_ group: XMLElement, _ path: [String], _ isInBin: Bool) {
      let isInBin = isInBin || bin?.isEmpty == false && group.text(of: "UUID") == bin
      for child in group.children {
        switch child.name {
        case "Entry":
          var entry = entry(child)
          entry.group = path
          entry.isInRecycleBin = isInBin
          entries.append(entry)
        case "Group": collect(child, path + [child.text(of: "Name")], isInBin)
        default: break
        }
      }
    }
    // The root group has the name of the database.
    for group in root.children where group.name == "Group" { collect(group, [], false) }
    return entries
  }

  private static func entry(_ element: XMLElement) -> Entry {
    var entry = Entry()
    for field in element.children where field.name == "String" {
      let name = field.text(of: "Key")
      let value = field.text(of: "Value")
      switch name {
      case "Title": entry.title = value
      case "UserName": entry.username = value
      case "URL": entry.url = value
      case "Password":
        entry.secret = value
        entry.isProtected = field.child("Value")?.attributes["Protected"] == "True"
      default: if !value.isEmpty { entry.others.append(name.lowercased()) }
      }
    }
    let files = element.children.count { $0.name == "Binary" }
    if files > 0 { entry.others.append(files.counted("attachment")) }
    if let times = element.child("Times"), times.text(of: "Expires") == "True" {
      entry.expiresOn = time(times.text(of: "ExpiryTime"))
      if entry.expiresOn == nil { entry.others.append("expiry") }
    }
    return entry
  }

  /// A time as the databases of version 4 have it: the seconds since the year 1, little-endian. Older
  /// ones have text, such as 2024-06-01T00:00:00Z.
  private static func time(_ text: String) -> Timestamp? {
    if let time = Expiry.date(text) { return time }
    let plain = text.prefix { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
    guard let bytes = Base64URL.decode(String(plain)), bytes.count == 8 else { return nil }
    let seconds = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard seconds < 1 << 50 else { return nil }
    return Timestamp(epochSeconds: Int64(seconds) - 62_135_596_800)
  }
}
