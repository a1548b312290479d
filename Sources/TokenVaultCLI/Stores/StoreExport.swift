import TokenVault
import TokenVaultCrypto
import TokenVaultKeyCustody
import TokenVaultModel

/// Writes secrets of the vault into the store of another program.
struct StoreExport {
  /// The result for a secret.
  struct Line {
    /// "written", "unchanged" or "left out".
    let state: String
    let name: String
    let place: String
    /// Why it was left out.
    var reason: String?
  }

  let name: StoreName
  let invocation: Invocation
  let isRehearsal: Bool
  let replaces: Bool

  /// Writes the secrets, each into a place of its own.
  func write(_ found: [ServiceSecrets.Found], to store: any CredentialStore) throws -> [Line] {
    try found.map { found in
      var line = Line(
        state: "written", name: found.account.username, place: found.service.description)
      guard !isRehearsal else { return line }
      let password = StoredPassword(
        service: found.service, username: found.account.username, secret: found.secret,
        expiresOn: found.expiresOn)
      switch try store.write(password, replacing: replaces) {
      case .written: break
      case .unchanged: line = Line(state: "unchanged", name: line.name, place: line.place)
      case .refused(let reason):
        line = Line(state: "left out", name: line.name, place: line.place, reason: reason)
      }
      return line
    }
  }

  /// Writes a token cache into an item with these attributes.
  func write(_ cache: MSALCache, attributes: [(String, String)]) throws -> Line {
    let keyring = try invocation.keyring()
    var line = Line(
      state: "written", name: cache.profiles.count.counted("account"),
      place: attributes.map { "\($0.0)=\($0.1)" }.joined(separator: " "))
    let bytes: [UInt8]
    do { bytes = try cache.json() } catch { throw VaultError.cache(error) }
    let former = try keyring.found(attributes)
    if former.contains(where: { $0.secret.reveal() == bytes }) {
      line = Line(state: "unchanged", name: line.name, place: line.place)
    } else if !former.isEmpty, !replaces {
      line = Line(
        state: "left out", name: line.name, place: line.place,
        reason: "the store has another cache there; --force replaces it")
    } else if !isRehearsal {
      try keyring.keep(
        Redacted(bytes),
        KeyringStore.Form(label: "MSALCache", contentType: "text/plain", attributes: attributes))
    }
    return line
  }
}

extension StoreExport.Line {
  var text: String {
    "\(state)  \(PlainText.escaped(name))  \(PlainText.escaped(place))"
      + (reason.map { ": \($0)" } ?? "")
  }

  func write(to writer: inout JSONWriter) {
    writer.object {
      $0.field("state", state)
      $0.field("username", name)
      $0.field("place", place)
      if let reason { $0.field("leftOut", reason) }
    }
  }
}
