import Glibc
import TokenVaultSystem
public import TokenVaultCrypto
public import TokenVaultModel

/// Where a vault stands and what it may do. The library reads no environment: whoever makes a
/// configuration decides.
public struct VaultConfiguration: Sendable {
  /// The group to open.
  public var group: GroupName
  /// The vault's directory; its `groups` folder holds the group files.
  public var directory: String
  /// Where manifests are looked for before the shipped ones, in this order.
  public var manifestDirectories: [String]
  /// The file that says the whole machine is shared (`/etc/tokenvault/device.json`).
  public var deviceFile: String
  /// The session bus, as in `DBUS_SESSION_BUS_ADDRESS`; nil for none.
  public var sessionBusAddress: String?
  /// Whether a locked keyring may ask the user.
  public var allowsPrompt: Bool
  /// A key file that stands in for the one the manifest names (a systemd credential).
  public var keyFile: String?
  /// The configuration that the environment of this process describes: `Vault(.process())`.
  /// - Throws: ``VaultError/homeNotSet``.
  public static func process(
    group: GroupName = .universalStorage
  ) throws(VaultError) -> VaultConfiguration {
    try VaultConfiguration(group: group, environment: ProcessEnvironment.variables())
  }

  /// Asks for a passphrase; nil where nobody can be asked.
  public var passphrase: (@Sendable (PassphrasePurpose) throws -> SecretBytes?)?
  /// The wall clock, which decides whether a token is still valid.
  public var now: @Sendable () -> Timestamp
  /// Names the running boot: what a keyring daemon was told in an earlier one is on its disk.
  package var bootIdentifier: @Sendable () throws -> String = { try Boot.identifier() }
  /// The command line is every group's administrator; other tools have to be members.
  package var isAdministrator = false

  /// Why a passphrase is asked for.
  public enum PassphrasePurpose: Equatable, Sendable {
    /// To open the group.
    case open(GroupName)
    /// To make the group's key slot: ask twice.
    case create(GroupName)
  }

  /// A configuration from environment variables: XDG_DATA_HOME, XDG_CONFIG_HOME, HOME,
  /// TOKENVAULT_HOME, DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR, DISPLAY, WAYLAND_DISPLAY,
  /// CREDENTIALS_DIRECTORY.
  ///
  /// - Throws: ``VaultError/homeNotSet`` when neither HOME nor the directories are set to absolute
  ///   paths (the XDG base directory specification ignores relative ones).
  public init(
    group: GroupName = .universalStorage, environment: [String: String]
  ) throws(VaultError) {
    func path(_ name: String) -> String? {
      environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    let home = path("HOME")
    guard
      let directory = path("TOKENVAULT_HOME")
        ?? (path("XDG_DATA_HOME") ?? home.map { $0 + "/.local/share" }).map({ $0 + "/tokenvault" }),
      let configuration = path("XDG_CONFIG_HOME") ?? home.map({ $0 + "/.config" })
    else { throw .homeNotSet }
    self.group = group
    self.directory = directory
    manifestDirectories = [
      configuration + "/tokenvault/keychain-groups", "/etc/tokenvault/keychain-groups",
    ]
    deviceFile = "/etc/tokenvault/device.json"
    sessionBusAddress = environment["DBUS_SESSION_BUS_ADDRESS"].flatMap { $0.isEmpty ? nil : $0 }
    if sessionBusAddress == nil, let runtime = path("XDG_RUNTIME_DIR") {
      // Where systemd puts the user bus; libdbus looks there too.
      sessionBusAddress = "unix:path=\(runtime)/bus"
    }
    allowsPrompt = ["DISPLAY", "WAYLAND_DISPLAY"].contains { !(environment[$0] ?? "").isEmpty }
    keyFile = path("CREDENTIALS_DIRECTORY").map { $0 + "/tokenvault-\(group)" }
      .flatMap { unsafe access($0, F_OK) == 0 ? $0 : nil }
    now = {
      var time = timespec()
      unsafe clock_gettime(CLOCK_REALTIME, &time)
      return Timestamp(epochSeconds: Int64(time.tv_sec))
    }
  }

  /// Asks for a passphrase; nil where nobody can be asked.
  func askPassphrase(_ purpose: PassphrasePurpose) throws(VaultError) -> SecretBytes? {
    guard let passphrase else { return nil }
    do { return try passphrase(purpose) } catch { throw .prompt(error) }
  }

  /// The same configuration for another group.
  public func with(group: GroupName) -> VaultConfiguration {
    var other = self
    other.group = group
    return other
  }

  package var manifests: Manifests { Manifests(directories: manifestDirectories) }
  package var groupsDirectory: String { directory + "/groups" }
  /// The group's file.
  public var groupPath: String { "\(groupsDirectory)/\(group).vault" }
  var lockPath: String { "\(groupsDirectory)/.\(group).lock" }
  /// Locked by who asks a provider for a new token, one byte for each account.
  var refreshLockPath: String { "\(groupsDirectory)/.\(group).refresh" }
}
