import TokenVault
import TokenVaultCrypto
import TokenVaultKeyCustody
import TokenVaultModel

/// An item in the store of another program.
struct StoreItem {
  /// The content, as far as the vault can keep it.
  enum Content {
    case secret(StoredPassword)
    /// A whole cache of MSAL.
    case cache(MSALCache)
    /// Nothing that the vault can keep; the reason.
    case unusable(String)
  }

  /// The place of the item in its store, from which it can be taken out.
  enum Place {
    case keyring(SecretServiceItem)
    /// The name of an entry of `pass`, and its content.
    case pass(String, Redacted<[UInt8]>)
    /// A place that this program does not change; the reason.
    case fixed(String)
  }

  /// The name by which the user knows it. It contains nothing secret.
  let name: String
  let content: Content
  let place: Place
  /// The parts that do not come in, such as notes; nil for none. The item then stays in the store.
  var rest: String?
}

/// A password or token of another program, with what the vault needs to find it.
struct StoredPassword {
  let service: ServiceURL
  let username: String
  let secret: Redacted<[UInt8]>
  var expiresOn: Timestamp?
  var form: ServiceAuthentication?
  var refreshToken: Redacted<[UInt8]>?
  /// The tool that it belongs to, unless that is the store.
  var tool: String?
  /// Whether it is a refresh token, which nobody but its client may use.
  var isRefreshToken = false
  /// A sentence for the user about what it is; nil for an ordinary one.
  var remark: String?
}

extension StoreItem.Content {
  /// A password, if its address and user name can be stored; otherwise the reason why not.
  static func password(
    address: String, username: String?, secret: [UInt8],
    change: (inout StoredPassword) -> Void = { _ in }
  ) -> StoreItem.Content {
    guard !secret.isEmpty else { return .unusable("it has no password") }
    guard !address.isEmpty else { return .unusable("it has no address") }
    guard let service = ServiceURL(withoutQuery: address) else {
      // The address itself may contain a password.
      return .unusable("its address is not one of a service")
    }
    guard let username, !username.isEmpty else { return .unusable("it has no user name") }
    guard ServiceSecrets.isStorable(username: username) else {
      return .unusable("its user name cannot be stored")
    }
    guard secret.count <= 1 << 20 else { return .unusable("it is larger than 1 MiB") }
    var password = StoredPassword(
      service: service, username: username, secret: Redacted(secret))
    change(&password)
    return .secret(password)
  }
}

extension ServiceURL {
  /// The service of the page at an address: browsers and password managers note the page of a
  /// sign-in, with its query. Nil if that is no http or https address of a host.
  init?(withoutQuery text: String) {
    self.init(String(text.prefix { $0 != "?" && $0 != "#" }))
  }
}
