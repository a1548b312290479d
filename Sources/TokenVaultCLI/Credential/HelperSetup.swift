import Glibc
import TokenVault
import TokenVaultCredentialHelpers
import TokenVaultModel

/// The changes with which a tool asks the vault.
struct HelperSetup {
  let spoken: HelperProtocol
  /// The hosts for which the tool asks the vault; empty for all.
  let hosts: [String]
  /// The directory of the links.
  let programs: String
  /// Whether a helper may be put in front of another program of its name.
  let mayHide: Bool
  let invocation: Invocation
  private let home: String

  /// - Throws: ``Failure`` if there is no home for the links.
  init(
    _ spoken: HelperProtocol, hosts: [String], programs: String?, mayHide: Bool,
    _ invocation: Invocation
  ) throws {
    self.spoken = spoken
    self.hosts = hosts
    self.mayHide = mayHide
    self.invocation = invocation
    guard let home = invocation.directory(in: "HOME") else { throw Failure.noHome }
    self.home = home
    self.programs = try programs.map { try invocation.absolute($0) } ?? home + "/.local/bin"
  }

  /// The protocols that can be installed, and the tools that speak them.
  static let tools = [
    "git": "git", "docker": "docker, podman, skopeo and oras", "cargo": "cargo",
    "keyring": "pip, uv and other programs that run keyring", "terraform": "terraform",
    "azure": "every SDK that runs az", "azure-developer": "every SDK that runs azd",
  ]

  /// Their names, in the order of the documentation.
  static var names: [String] { HelperProtocol.all.map(\.name).filter { tools[$0] != nil } }

  /// The tools that take `--host`.
  static let takeHosts = ["git", "docker"]

  /// The changes, in the order in which they are made.
  func changes() throws -> [ConfigurationChange] {
    let link = try self.link()
    let configuration: [ConfigurationChange.Kind] =
      switch spoken.name {
      case "git": git(link)
      case "docker": try docker()
      case "cargo": try cargo()
      case "terraform": terraform()
      default: []
      }
    return ((link.map { [$0] } ?? []) + configuration).map(ConfigurationChange.init)
  }

  /// The directory in which the tool looks for the helper; nil for those of `PATH`.
  private var ownDirectory: String? {
    spoken.name == "terraform" ? home + "/.terraform.d/plugins" : nil
  }

  /// Whether the tool finds the helper.
  var isInPath: Bool {
    ownDirectory != nil || Self.path.contains { $0 == programs } || installedProgram != nil
  }

  private static var path: [String] {
    (Invocation.wholeEnvironment()["PATH"] ?? "").split(separator: ":").map(String.init)
  }

  /// The name under which the tool starts the helper.
  private var program: String { spoken.substitutes.first ?? spoken.programs[0] }

  /// The link of a package, which needs no other one.
  private var installedProgram: String? {
    Self.path.map { "\($0)/\(program)" }.first {
      !$0.hasPrefix(programs + "/") && Self.resolved($0) == Self.executable
    }
  }

  /// The executable that people run, which starts this one if it is the full program of an
  /// installation.
  private static let executable = resolved("/proc/self/exe").map { own in
    let full = "/libexec/tokenvault/tokenvault"
    let front = own.dropLast(full.count) + "/bin/tokenvault"
    return own.hasSuffix(full) && InputFile.exists(String(front)) ? String(front) : own
  }

  private static func resolved(_ path: String) -> String? {
    guard let place = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(place) }
    return unsafe String(cString: place)
  }

  private func link() throws -> ConfigurationChange.Kind? {
    guard ownDirectory != nil || installedProgram == nil else { return nil }
    guard let executable = Self.executable else {
      throw CommandError.input(path: "/proc/self/exe", errno: errno)
    }
    if !spoken.substitutes.isEmpty, !mayHide {
      let other = Self.path.map { "\($0)/\(program)" }
        .first { InputFile.exists($0) && Self.resolved($0) != executable }
      if let other { throw Failure.foreignProgram(program, at: other) }
    }
    return .link(path: "\(ownDirectory ?? programs)/\(program)", target: executable)
  }

  /// Git runs a helper by its path, or by the part of its name after `git-credential-`.
  private func git(_ link: ConfigurationChange.Kind?) -> [ConfigurationChange.Kind] {
    var value = "tokenvault"
    if case .link(let path, _) = link, !isInPath { value = Self.escaped(path) }
    let keys =
      hosts.isEmpty
      ? ["credential.helper"]
      : hosts.map { host in
        "credential.\(host.contains("://") ? host : "https://" + host).helper"
      }
    return keys.map { .git(key: $0, value: value) }
  }

  /// Git takes a value for a path only if it begins with a slash, and hands it to a shell.
  private static func escaped(_ path: String) -> String {
    path.map { character in
      character.isLetter || character.isNumber || "/._-+".contains(character)
        ? String(character) : "\\\(character)"
    }.joined()
  }

  private func docker() throws -> [ConfigurationChange.Kind] {
    let file = try directory(in: "DOCKER_CONFIG") ?? home + "/.docker"
    let paths = hosts.isEmpty ? [["credsStore"]] : hosts.map { ["credHelpers", Self.key($0)] }
    return paths.map { .json(file: file + "/config.json", path: $0, value: "tokenvault") }
  }

  /// The key of a registry in docker's configuration: the host, except for Docker Hub.
  private static func key(_ host: String) -> String {
    let name = ServiceURL(host)?.host ?? host
    return ["docker.io", "index.docker.io", "registry-1.docker.io"].contains(name)
      ? "https://index.docker.io/v1/" : name
  }

  /// Of several providers, cargo asks the last one first, and stores with it.
  private func cargo() throws -> [ConfigurationChange.Kind] {
    let text = """
      [registry]
      global-credential-providers = ["cargo:token", "\(program)"]

      """
    let file = try directory(in: "CARGO_HOME") ?? home + "/.cargo"
    return [.lines(file: file + "/config.toml", text: text, unique: "registry")]
  }

  private func terraform() -> [ConfigurationChange.Kind] {
    let text = "credentials_helper \"tokenvault\" {\n}\n"
    return [.lines(file: home + "/.terraformrc", text: text, unique: "credentials_helper")]
  }

  private func directory(in variable: String) throws -> String? {
    try Invocation.variables([variable])[variable].map { try invocation.absolute($0) }
  }
}
