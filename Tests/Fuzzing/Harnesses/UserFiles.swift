import TokenVaultModel

@testable import TokenVault

/// Files of the user and of the machine: manifests, `config.json` and account rules. An input's first
/// byte selects the kind.
enum UserFiles {
  static func read(_ input: [UInt8]) {
    guard let kind = input.first else { return }
    let bytes = Array(input.dropFirst())
    do throws(VaultError) {
      switch kind {
      case UInt8(ascii: "m"): try manifest(bytes)
      case UInt8(ascii: "c"):
        TemporaryFiles.write(bytes, to: "config.json")
        _ = try UserConfiguration.read(TemporaryFiles.path("config.json"))
      case UInt8(ascii: "r"): try rules(bytes)
      default: return
      }
    } catch {
      guard case .badManifest = error else { preconditionFailure("\(error)") }
    }
  }

  /// A manifest that is saved is found again as it was.
  private static func manifest(_ bytes: [UInt8]) throws(VaultError) {
    let manifest = try Manifests.decode(bytes, path: "manifest")
    let manifests = Manifests(directories: [TemporaryFiles.directory])
    let path = try manifests.save(manifest)
    let found = try manifests.find(manifest.name)
    precondition(found == Manifests.Found(manifest: manifest, path: path))
    try manifests.remove(manifest.name)
  }

  /// A rule that was read is written to lines that mean the same.
  private static func rules(_ bytes: [UInt8]) throws(VaultError) {
    TemporaryFiles.write(bytes, to: "directories")
    let rules = AccountRules(vaultDirectory: TemporaryFiles.directory)
    for rule in try rules.all() {
      for line in rule.lines {
        var again = AccountRule(line: line.utf8.dropLast())
        again?.accounts = rule.accounts
        precondition(again == rule)
      }
    }
    var situation = Situation { [.init(name: "origin", url: "https://git.example/a")] }
    situation.directory = "/srv/a"
    _ = try rules.matching(situation)
  }
}
