import TokenVault
import TokenVaultCrypto
import TokenVaultKeyCustody
import TokenVaultModel

/// Writes secrets of the vault into the store of another program.
struct StoreExport {
  /// The result for a secret.
  struct Line {
    /// "written", "unchanged" or "left out".
    var state: String
    let name: String
    let place: String
    /// Why it was left out.
    var reason: String?
    /// Whether the store has a new copy.
    var isCopied = false
    /// The parts that were not written; nil for none.
    var note: String?
    /// The error of the store; nil for none.
    var failure: Failure?
  }

  let name: StoreName
  let invocation: Invocation
  let isRehearsal: Bool
  let replaces: Bool

  /// Writes the secrets, each into a place of its own.
  /// One that fails is named, and does not keep the others, except if the store fails at the first.
  func write(_ found: [ServiceSecrets.Found], to store: any CredentialStore) -> [Line] {
    var (isUsable, broken) = (false, Failure?.none)
    return found.map { found in
      var line = Line(
        state: "left out", name: found.account.username, place: found.service.description)
      if let broken {
        (line.reason, line.failure) = ("it was not tried", broken)
        return line
      }
      let password = StoredPassword(
        service: found.service, username: found.account.username, secret: found.secret,
        expiresOn: found.expiresOn)
      do {
        switch try store.write(password, replacing: replaces, isRehearsal: isRehearsal) {
        case .written:
          line.state = "written"
          line.isCopied = true
          line.note = Self.note(found)
        case .unchanged: line.state = "unchanged"
        case .refused(let reason): line.reason = reason
        case .misplaced(let reason):
          line.reason = reason
          line.isCopied = true
        }
        isUsable = true
      } catch {
        let failure = Failure(error)
        (line.reason, line.failure) = (failure.message, failure)
        if !isUsable { broken = failure }
      }
      return line
    }
  }

  /// The stores have one secret in an item.
  private static func note(_ found: ServiceSecrets.Found) -> String? {
    let parts = [
      found.expiresOn.map { _ in "expiry" }, found.origin.refreshToken.map { _ in "refresh token" },
    ].compactMap { $0 }
    guard !parts.isEmpty else { return nil }
    return "\(PlainText.escaped(found.account.username)) at \(found.service): not exported: "
      + parts.joined(separator: ", ") + "."
  }

  /// Writes a token cache into an item with these attributes.
  func write(_ cache: MSALCache, attributes: [(String, String)]) throws -> Line {
    let keyring = try invocation.keyring()
    var line = Line(
      state: "written", name: cache.profiles.count.counted("account"),
      place: attributes.map { "\($0.0)=\($0.1)" }.joined(separator: " "))
    let bytes: [UInt8]
    do { bytes = try cache.json() } catch { throw VaultError.cache(error) }
    // Others may have these attributes and more. An item without a schema has the generic one.
    let isPlain = !attributes.contains { $0.0 == "xdg:schema" }
    let former = try keyring.found(attributes).filter { item in
      item.has(exactly: attributes)
        || isPlain && item.has(exactly: attributes + [("xdg:schema", Self.genericSchema)])
    }
    if former.contains(where: { ConstantTime.equal($0.secret.reveal(), bytes) }) {
      line = Line(state: "unchanged", name: line.name, place: line.place)
    } else if former.contains(where: { !Self.isCache($0) }) {
      line = Line(
        state: "left out", name: line.name, place: line.place,
        reason: "the item there is not a token cache in JSON")
    } else if !former.isEmpty, !replaces {
      line = Line(
        state: "left out", name: line.name, place: line.place,
        reason: "the store has another cache there; --force replaces it")
    } else if !isRehearsal {
      line.isCopied = true
      let form = KeyringStore.Form(
        label: "MSALCache", contentType: "text/plain", attributes: attributes)
      if case .misplaced(let reason) = try keyring.keep(Redacted(bytes), form, inPlaceOf: former) {
        line.reason = reason
      }
    }
    return line
  }

  private static let genericSchema = "org.freedesktop.Secret.Generic"

  private static func isCache(_ item: SecretServiceItem) -> Bool {
    // absent is an answer: another program's item may have the attributes that the user named.
    do { _ = try MSALCache(json: item.secret.reveal()) } catch { return false }
    return true
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
