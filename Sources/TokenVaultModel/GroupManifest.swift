/// Describes a keychain group: its members, the custody of its key, and whether the machine is shared.
public struct GroupManifest: Hashable, Sendable {
  /// The group's name; a manifest's file is named after it.
  package var name: GroupName
  /// A description of one line.
  package var title: String
  /// The executables that may open the group.
  package var members: [Member]
  /// The custody of the key of a group made from this manifest.
  package var custody: Custody
  /// Whether one user or several share the machine.
  package var deviceMode: DeviceMode

  /// A manifest with every field given.
  package init(
    name: GroupName, title: String, members: [Member], custody: Custody, deviceMode: DeviceMode
  ) {
    self.name = name
    self.title = title
    self.members = members
    self.custody = custody
    self.deviceMode = deviceMode
  }

  /// A tool that may open a group, identified by its executable.
  package struct Member: Hashable, Sendable, CustomStringConvertible {
    /// An absolute path, or a bare file name, which matches every executable of that name.
    package let description: String

    /// Returns nil for a relative path, an empty text, or one with a control character.
    package init?(_ text: String) {
      let isBare = !text.utf8.contains(UInt8(ascii: "/"))
      guard !text.isEmpty, text != ".", text != "..", isBare || text.hasPrefix("/"),
        !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f })
      else { return nil }
      description = text
    }

    /// Whether the executable at `path` (absolute, symlinks resolved) is this member.
    package func matches(executable path: String) -> Bool {
      if description.hasPrefix("/") { return description == path }
      return path.split(separator: "/").last.map(String.init) == description
    }
  }

  /// Where a group's key is kept. There is no plaintext custody.
  package enum Custody: Hashable, Sendable {
    /// An item of the user's Secret Service.
    case secretService
    /// A passphrase, from which scrypt (RFC 7914) derives a key.
    case passphrase
    /// A file that holds key material, at an absolute path.
    case keyFile(path: String)
  }

  /// MSAL's device modes.
  public enum DeviceMode: String, Hashable, Sendable {
    /// A machine of one user: several accounts may be signed in.
    case `private`
    /// A shared machine: only one account is signed in, and signing it out signs out all tools.
    case shared
  }

  /// Whether the executable at `path` (absolute, symlinks resolved) may open the group.
  package func admits(executable path: String) -> Bool {
    members.contains { $0.matches(executable: path) }
  }
}
