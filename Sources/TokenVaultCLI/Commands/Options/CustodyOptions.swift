import ArgumentParser
import TokenVault
import TokenVaultModel

/// The custody of a group's key.
struct CustodyOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Where the key is kept: secret-service, passphrase or key-file.", valueName: "custody"),
    completion: .list(["secret-service", "passphrase", "key-file"]))
  var custody: String?
  @Option(help: "The key file, for key-file.", completion: .file())
  var keyFile: String?
  @Flag(help: "Accept a new passphrase of fewer than 8 characters.")
  var weak = false

  func apply(to options: inout Invocation.Options) {
    options.acceptsWeakPassphrase = weak
    options.takesCustody = true
    options.wantsKeyring = custody == "secret-service"
  }

  /// The custody that the options name; nil for none.
  func chosen(_ invocation: Invocation) throws -> GroupManifest.Custody? {
    let path = try keyFile.map { try invocation.absolute($0) }
    switch custody {
    case nil: return path.map { .keyFile(path: $0) }
    case "key-file":
      guard let path else { throw CommandError.keyFileNotNamed }
      return .keyFile(path: path)
    case let word?:
      guard path == nil else {
        throw CommandError.optionsExclude("--custody \(PlainText.escaped(word))", "--key-file")
      }
      switch word {
      case "secret-service": return .secretService
      case "passphrase": return .passphrase
      default: throw CommandError.badCustody(word)
      }
    }
  }
}
