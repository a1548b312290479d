import Glibc
import TokenVaultGroupStore
import TokenVaultKeyCustody
import TokenVaultSystem
public import TokenVaultCrypto
public import TokenVaultModel

/// The location of a vault, and the permissions of its calls. The library reads the environment of
/// its process only in ``process(group:)``; everywhere else the program that makes the
/// configuration decides.
public struct VaultConfiguration: Sendable {
  /// The group to open.
  public var group: GroupName
  /// The vault's directory. Its `groups` folder contains the group files.
  public var directory: String
  /// The directory for this device's part of each key; the Secret Service keeps the other part. It
  /// is not in the vault's directory, so that a copy of the vault does not contain it.
  public var devicePartDirectory: String
  /// The directories that are searched for manifests, in this order, before the shipped manifests.
  public var manifestDirectories: [String]
  /// The directory of the user's provider files; nil for none.
  package var providerDirectory: String?
  /// The file that declares the whole machine shared (`/etc/tokenvault/device.json`).
  public var deviceFile: String
  /// The address of the session bus, as in `DBUS_SESSION_BUS_ADDRESS`; nil for none.
  public var sessionBusAddress: String?
  /// Whether a locked keyring may prompt the user.
  public var allowsPrompt: Bool
  /// A key file to use instead of the one that the manifest names (a systemd credential).
  public var keyFile: String?
  /// Whether the process protects itself when it first opens a group; true by default.
  ///
  /// It then writes no core file, and other processes of the same user cannot read its memory
  /// (prctl(2), `PR_SET_DUMPABLE` 0). A debugger, profiler or crash reporter that uses
  /// ptrace(2) cannot attach either, and its files in `/proc` belong to root; a child process is not
  /// affected. Set this to false to debug your program: from then on, every process of the user can
  /// read the tokens and keys in its memory, and a core file contains them. Signal handlers stay as
  /// they are. The crash report of the Swift runtime prints memory around registers;
  /// `SWIFT_BACKTRACE=enable=no` turns it off.
  public var protectsProcess = true
  /// The configuration that the environment of this process describes.
  ///
  /// ```swift
  /// var configuration = try VaultConfiguration.process(group: "dev.tokenvault.shared")
  /// configuration.allowsPrompt = false
  /// let vault = Vault(configuration)
  /// ```
  ///
  /// - Throws: ``VaultError/homeNotSet`` as ``init(group:environment:)``.
  public static func process(
    group: GroupName = .universalStorage
  ) throws(VaultError) -> VaultConfiguration {
    try VaultConfiguration(group: group, environment: ProcessEnvironment.variables())
  }

  /// Reads a passphrase from the user. Nil, or a closure that returns nil, means that no user can
  /// be prompted. An error that it throws becomes ``VaultError/prompt(_:)``.
  public var passphrase: (@Sendable (PassphrasePurpose) throws -> SecretBytes?)?
  /// The wall clock, which decides whether a token is still valid.
  public var now: @Sendable () -> Timestamp
  /// Identifies the running boot. A keyring daemon has written to disk whatever was stored in it
  /// during an earlier boot.
  package var bootIdentifier: @Sendable () throws -> String = { try Boot.identifier() }
  /// Whether membership is not checked. The command line administers every group; all other tools
  /// have to be members.
  package var isAdministrator = false

  /// The purpose of a request for a passphrase.
  public enum PassphrasePurpose: Equatable, Sendable {
    /// To open the group.
    case open(GroupName)
    /// To open the group, after a wrong passphrase. Nil ends the attempts. The third wrong passphrase
    /// ends them, too.
    case openAgain(GroupName)
    /// To create the group's key slot: read the passphrase twice.
    case create(GroupName)
  }

  /// A configuration from environment variables: XDG_DATA_HOME, XDG_CONFIG_HOME,
  /// XDG_STATE_HOME, HOME, TOKENVAULT_HOME, DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR, DISPLAY, WAYLAND_DISPLAY,
  /// CREDENTIALS_DIRECTORY.
  ///
  /// ```swift
  /// let variables = ["TOKENVAULT_HOME": "/srv/accounts", "HOME": "/srv"]
  /// let configuration = try VaultConfiguration(
  ///   group: "dev.tokenvault.shared", environment: variables)
  /// print(configuration.groupPath)
  /// ```
  ///
  /// - Throws: ``VaultError/homeNotSet`` if neither HOME nor the directories are set to absolute
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
    devicePartDirectory =
      (path("XDG_STATE_HOME") ?? home.map { $0 + "/.local/state" })
      .map { $0 + "/tokenvault/device-keys" } ?? directory + "/device-keys"
    manifestDirectories = [
      configuration + "/tokenvault/keychain-groups", "/etc/tokenvault/keychain-groups",
    ]
    providerDirectory = configuration + "/tokenvault/providers"
    deviceFile = "/etc/tokenvault/device.json"
    sessionBusAddress = environment["DBUS_SESSION_BUS_ADDRESS"].flatMap { $0.isEmpty ? nil : $0 }
    if sessionBusAddress == nil, let runtime = path("XDG_RUNTIME_DIR") {
      // The address of systemd's user bus; libdbus looks there too.
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

  /// Runs `body` with the passphrase that opens the group. The user may correct a wrong one twice.
  /// - Parameter body: Throws ``StoreError/wrongKey`` if the passphrase is wrong.
  func withPassphrase<R: ~Copyable>(_ body: (PassphraseCustodian) throws -> R) throws -> R {
    var purpose = PassphrasePurpose.open(group)
    for _ in 0..<3 {
      guard let passphrase = try askPassphrase(purpose) else {
        if case .open = purpose { throw CustodyError.passphraseRequired }
        break
      }
      do { return try body(PassphraseCustodian(passphrase)) } catch StoreError.wrongKey {
        purpose = .openAgain(group)
      }
    }
    throw CustodyError.wrongPassphrase
  }

  /// Reads a passphrase from the user; nil if no user can be prompted.
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

  /// The directories in which this user's small files are written.
  package var settingsDirectories: [String] {
    // The parent by its name: `..` of a linked directory is another place.
    let own = manifestDirectories.first.map { [$0, SystemCalls.directory(of: $0)] } ?? []
    return [directory, groupsDirectory] + own + (providerDirectory.map { [$0] } ?? [])
  }
  package var providers: KnownProviders { KnownProviders(directory: providerDirectory) }
  package var manifests: Manifests { Manifests(directories: manifestDirectories) }
  package var groupsDirectory: String { directory + "/groups" }
  /// The path of the group's file.
  public var groupPath: String { "\(groupsDirectory)/\(group).vault" }
  /// The file that names the boot in which the group was last unlocked.
  var unlockNotePath: String { "\(groupsDirectory)/.\(group).unlocked" }
  /// The file that exists once the command line has named `group unlock` to the user of the group.
  var unlockOfferPath: String { "\(groupsDirectory)/.\(group).unlock-offered" }
  var lockPath: String { "\(groupsDirectory)/.\(group).lock" }
  /// A process locks one byte of this file for each account whose token it requests from a
  /// provider.
  var refreshLockPath: String { "\(groupsDirectory)/.\(group).refresh" }
}
