package import TokenVaultModel

extension GroupManifest.Custody {
  init?(json: JSONValue) {
    switch json.text {
    case "secret-service": self = .secretService
    case "passphrase": self = .passphrase
    case .some: return nil
    case nil:
      guard json.members?.count == 1, let path = json["key-file"]?.text, path.hasPrefix("/") else {
        return nil
      }
      self = .keyFile(path: path)
    }
  }

  var json: JSONValue {
    switch self {
    case .secretService, .passphrase: .string(word)
    case .keyFile(let path): .object([.init(word, .string(path))])
    }
  }

  /// The name of the custody in messages and JSON.
  package var word: String {
    switch self {
    case .secretService: "secret-service"
    case .passphrase: "passphrase"
    case .keyFile: "key-file"
    }
  }
}
