package import TokenVaultGroupStore
package import TokenVaultModel

extension GroupHeader.Custody {
  /// The custody of a group that is created from a manifest.
  package init(_ custody: GroupManifest.Custody) {
    switch custody {
    case .secretService: self = .secretService
    case .passphrase: self = .passphrase
    case .keyFile: self = .keyFile
    }
  }
}

extension GroupHeader.Custody {
  /// The name of the custody in messages, JSON and options.
  package var word: String {
    switch self {
    case .secretService: "secret-service"
    case .passphrase: "passphrase"
    case .keyFile: "key-file"
    }
  }
}
