import TokenVault
import TokenVaultCrypto
import TokenVaultKeyCustody

/// The items of a program in the Secret Service.
struct KeyringStore: CredentialStore {
  /// An item to write.
  struct Form {
    let label: String
    let contentType: String
    let attributes: [(String, String)]
  }

  let keyring: SecretServiceItems
  /// Each search that may find items of the program.
  let searches: [[(String, String)]]
  /// The content of an item; nil for one that belongs to another program.
  let content: (SecretServiceItem) -> StoreItem.Content?
  /// The item in which the program looks for a password.
  let form: (StoredPassword) -> Form

  func items() throws -> [StoreItem] {
    var paths: Set<String> = []
    return try searches.flatMap { try keyring.found($0) }
      .filter { paths.insert($0.path).inserted }
      .compactMap { item in
        content(item).map {
          StoreItem(
            name: Self.name(of: item), content: $0, place: .keyring(item))
        }
      }
  }

  /// The label; of an item without one, its attributes.
  private static func name(of item: SecretServiceItem) -> String {
    guard item.label.isEmpty else { return item.label }
    return item.attributes.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ")
  }

  func remove(_ place: StoreItem.Place) throws -> Bool {
    guard case .keyring(let item) = place else { return false }
    return try keyring.removed(item)
  }

  func write(_ password: StoredPassword, replacing: Bool) throws -> StoreWriting {
    let secret = password.secret.reveal()
    // The programs read lines of text.
    guard !secret.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
      return .refused("it contains a control character")
    }
    let form = form(password)
    let former = try keyring.found(form.attributes.filter { $0.0 != "xdg:schema" })
      .filter {
        $0.attributes.count(where: { $0.key != "xdg:schema" }) == form.attributes.count - 1
      }
    if !former.isEmpty, former.allSatisfy({ $0.secret.reveal() == secret }) { return .unchanged }
    guard former.isEmpty || replacing else { return .refused(StoreWriting.taken) }
    try keyring.keep(password.secret, form)
    // One under another schema would be found first.
    for item in former where item.attributes["xdg:schema"] != form.schema {
      _ = try keyring.removed(item)
    }
    return .written
  }
}

extension StoreWriting {
  /// The reason for not replacing a secret.
  static let taken = "the store has another secret there; --force replaces it"
}

extension KeyringStore.Form {
  fileprivate var schema: String? { attributes.first { $0.0 == "xdg:schema" }?.1 }
}

/// The same with the errors of the command line.
extension SecretServiceItems {
  func found(_ attributes: [(String, String)]) throws(Failure) -> [SecretServiceItem] {
    do throws(CustodyError) { return try all(attributes) } catch { throw Failure(keyring: error) }
  }

  func removed(_ item: SecretServiceItem) throws(Failure) -> Bool {
    do throws(CustodyError) { return try delete(item) } catch { throw Failure(keyring: error) }
  }

  func keep(_ secret: Redacted<[UInt8]>, _ form: KeyringStore.Form) throws(Failure) {
    do throws(CustodyError) {
      try store(
        secret, label: form.label, contentType: form.contentType, form.attributes)
    } catch { throw Failure(keyring: error) }
  }
}
