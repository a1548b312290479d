import TokenVault
import TokenVaultCrypto
import TokenVaultKeyCustody

/// The items of a program in the Secret Service.
struct KeyringStore: KeyringBackedStore {
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
  /// The parts of an item that do not come in; nil for none.
  var rest: (SecretServiceItem) -> String? = { _ in nil }
  /// The item in which the program looks for a password.
  let form: (StoredPassword) -> Form

  func items() throws -> [StoreItem] {
    var paths: Set<String> = []
    return try searches.flatMap { try keyring.found($0) }
      .filter { paths.insert($0.path).inserted }
      .compactMap { item in
        content(item).map {
          StoreItem(
            name: Self.name(of: item), content: $0, place: .keyring(item), rest: rest(item))
        }
      }
  }

  /// The label; of an item without one, its attributes.
  private static func name(of item: SecretServiceItem) -> String {
    guard item.label.isEmpty else { return item.label }
    return item.attributes.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ")
  }

  func write(
    _ password: StoredPassword, replacing: Bool, isRehearsal: Bool
  ) throws -> StoreWriting {
    let secret = password.secret.reveal()
    // The programs read lines of text.
    guard !secret.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
      return .refused("it contains a control character")
    }
    let form = form(password)
    let former = try keyring.found(form.attributes.filter { $0.0 != "xdg:schema" })
      .filter { $0.has(exactly: form.attributes, besides: "xdg:schema") && isOwn($0) }
    if !former.isEmpty, former.allSatisfy({ ConstantTime.equal($0.secret.reveal(), secret) }) {
      return .unchanged
    }
    guard former.isEmpty || replacing else { return .refused(StoreWriting.taken) }
    if isRehearsal { return .written }
    return try keyring.keep(password.secret, form, inPlaceOf: former)
  }

  /// Whether an item is one that the import would read. Others may have the same attributes.
  private func isOwn(_ item: SecretServiceItem) -> Bool {
    searches.contains { search in search.allSatisfy { item.attributes[$0.0] == $0.1 } }
      && content(item) != nil
  }
}

extension StoreWriting {
  /// The reason for not replacing a secret.
  static let taken = "the store has another secret there; --force replaces it"
}

extension SecretServiceItem {
  /// Whether these are all attributes of the item, except perhaps for one name.
  func has(exactly attributes: [(String, String)], besides name: String? = nil) -> Bool {
    self.attributes.filter { $0.key != name }
      == Dictionary(attributes.filter { $0.0 != name }) { first, _ in first }
  }
}

/// The same with the errors of the command line.
extension SecretServiceItems {
  func found(_ attributes: [(String, String)]) throws(Failure) -> [SecretServiceItem] {
    do throws(CustodyError) { return try all(attributes) } catch { throw Failure(keyring: error) }
  }

  func removed(_ item: SecretServiceItem) throws(Failure) -> Bool {
    do throws(CustodyError) { return try delete(item) } catch { throw Failure(keyring: error) }
  }

  /// Stores an item, and then deletes those whose place it takes. No service is asked to replace one:
  /// it might take another program's.
  func keep(
    _ secret: Redacted<[UInt8]>, _ form: KeyringStore.Form, inPlaceOf former: [SecretServiceItem]
  ) throws(Failure) -> StoreWriting {
    do throws(CustodyError) {
      try store(
        secret, label: form.label, contentType: form.contentType, form.attributes)
    } catch { throw Failure(keyring: error) }
    for item in former {
      guard try removed(item) else {
        return .misplaced("the item that it replaces has changed meanwhile, and is still there")
      }
    }
    return .written
  }

  /// A sentence for each collection that is locked.
  func notes() throws(Failure) -> [String] {
    do throws(CustodyError) {
      return try lockedCollections().map {
        "The keyring \(Failure.quoted($0)) is locked, and its items were not looked for."
      }
    } catch { throw Failure(keyring: error) }
  }
}
