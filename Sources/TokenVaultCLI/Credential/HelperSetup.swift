import Glibc
import TokenVaultCredentialHelpers
import TokenVaultModel

/// The changes with which a tool asks the vault.
struct HelperSetup {
  let spoken: HelperProtocol
  /// The hosts for which the tool asks the vault; empty for all.
  let hosts: [String]
  /// The directory of the links.
  let programs: String
  let invocation: Invocation

  /// - Throws: ``CommandError`` if there is no home for the links.
  init(
    _ spoken: HelperProtocol, hosts: [String], programs: String?, _ invocation: Invocation
  ) throws {
    self.spoken = spoken
    self.hosts = hosts
    self.invocation = invocation
    guard let home = invocation.directory(in: "HOME") else { throw Failure.noHome }
    self.programs = try programs.map { try invocation.absolute($0) } ?? home + "/.local/bin"
  }

  /// The protocols that can be installed, and what the tool is called.
  static let tools = ["git": "git", "docker": "docker, podman, skopeo and oras"]

  /// The changes, in the order in which they are made.
  func changes() throws -> [ConfigurationChange] {
    let link = try self.link()
    let configuration: [ConfigurationChange.Kind] =
      switch spoken.name {
      case "git": git(link)
      case "docker": try docker()
      default: []
      }
    return (link.map { [$0] } ?? []).map(ConfigurationChange.init)
      + configuration.map(ConfigurationChange.init)
  }

  /// Whether a tool that searches `PATH` finds the helper.
  var isInPath: Bool {
    let directories = (Invocation.wholeEnvironment()["PATH"] ?? "").split(separator: ":")
    return directories.contains { $0 == programs } || installedProgram != nil
  }

  private var program: String { spoken.programs[0] }

  /// The link of a package, which needs no other one.
  private var installedProgram: String? {
    let directories = (Invocation.wholeEnvironment()["PATH"] ?? "").split(separator: ":")
    return directories.map { "\($0)/\(program)" }.first {
      !$0.hasPrefix(programs + "/") && Self.resolved($0) == Self.executable
    }
  }

  private static let executable = resolved("/proc/self/exe")

  private static func resolved(_ path: String) -> String? {
    guard let place = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(place) }
    return unsafe String(cString: place)
  }

  private func link() throws -> ConfigurationChange.Kind? {
    guard installedProgram == nil else { return nil }
    guard let executable = Self.executable else {
      throw CommandError.input(path: "/proc/self/exe", errno: errno)
    }
    return .link(path: "\(programs)/\(program)", target: executable)
  }

  /// Git runs a helper by its path, or by the part of its name after `git-credential-`.
  private func git(_ link: ConfigurationChange.Kind?) -> [ConfigurationChange.Kind] {
    var value = "tokenvault"
    if case .link(let path, _) = link, !isInPath { value = PlainText.shellWord(path) }
    let keys =
      hosts.isEmpty
      ? ["credential.helper"]
      : hosts.map { host in
        "credential.\(host.contains("://") ? host : "https://" + host).helper"
      }
    return keys.map { .git(key: $0, value: value) }
  }

  private func docker() throws -> [ConfigurationChange.Kind] {
    let directory = Invocation.variables(["DOCKER_CONFIG"])["DOCKER_CONFIG"]
    guard let home = invocation.directory(in: "HOME") else { throw Failure.noHome }
    let file = try directory.map { try invocation.absolute($0) } ?? home + "/.docker"
    let paths = hosts.isEmpty ? [["credsStore"]] : hosts.map { ["credHelpers", $0] }
    return paths.map { .json(file: file + "/config.json", path: $0, value: "tokenvault") }
  }
}
