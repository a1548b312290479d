import TokenVault
import TokenVaultCrypto
import TokenVaultModel

/// Brings the items of a store into the vault, and takes them out of the store on request.
struct StoreImport {
  /// The account of a secret.
  private struct Key: Hashable {
    let service: String
    let username: String
  }

  let store: any CredentialStore
  let name: StoreName
  let invocation: Invocation
  /// The group of passwords, or that of token caches.
  let vault: GroupSession
  let isRehearsal: Bool
  /// Whether a different secret in the group is replaced.
  let replaces: Bool
  /// The secrets that came in.
  private var taken: [Key: StoredPassword] = [:]

  init(
    store: any CredentialStore, name: StoreName, invocation: Invocation, vault: GroupSession,
    isRehearsal: Bool, replaces: Bool
  ) {
    self.store = store
    self.name = name
    self.invocation = invocation
    self.vault = vault
    self.isRehearsal = isRehearsal
    self.replaces = replaces
  }

  /// Stores the items. One that fails is named, and does not keep the others.
  /// - Throws: If the group cannot be read, before anything is stored.
  mutating func take(_ items: [StoreItem]) throws -> [ImportedItem] {
    // Otherwise a locked group would be an error of each item.
    if !items.isEmpty {
      _ = try ServiceSecrets(vault).contains(service: "localhost", username: "-")
    }
    return items.map { item in
      var imported = ImportedItem(item)
      do {
        switch item.content {
        case .unusable(let reason): imported.fault = reason
        case .secret(let password): try take(password, &imported)
        case .cache(let cache): try take(cache, &imported)
        }
      } catch {
        (imported.lines, imported.stored) = ([], 0)
        imported.fault = Failure(error).message
      }
      return imported
    }
  }

  /// Stores a secret. Nothing is stored twice, and no secret is replaced unasked.
  private mutating func take(_ password: StoredPassword, _ imported: inout ImportedItem) throws {
    let key = Key(service: password.service.description, username: password.username)
    // Of two secrets for one account, the second would replace the first, and the next time the other
    // way round.
    if let other = taken[key], !password.isCovered(by: other) {
      imported.fault =
        "another item has another secret for \(PlainText.escaped(password.username)) at "
        + "\(password.service)"
      return
    }
    let secrets = ServiceSecrets(vault)
    let known = try secrets.exact(password.service, username: password.username)
    let word: String
    if let known, let difference = password.difference(from: known) {
      guard replaces else {
        imported.fault =
          "the group has another \(difference) for \(PlainText.escaped(password.username)) at "
          + "\(password.service); --force replaces it"
        return
      }
      word = "replaced"
    } else if let known {
      word = password.isKept(in: known) ? "unchanged" : "updated"
    } else {
      word = taken[key] == nil ? "added" : "unchanged"
    }
    if taken[key] == nil { taken[key] = password }
    imported.lines = [
      ImportedItem.Line(
        state: word, name: password.username, place: password.service.description)
    ]
    imported.stored = word == "unchanged" ? 0 : 1
    guard !isRehearsal, word != "unchanged" else { return }
    // An item that has more than the group, such as a refresh token, adds to the secret.
    let same = word == "updated" ? known : nil
    let (_, madeGroup, _) = try secrets.store(
      password.secret, service: password.service, username: password.username,
      expiresOn: password.expiresOn ?? same?.expiresOn, as: password.form ?? same?.form,
      isRefreshToken: password.isRefreshToken,
      from: SecretOrigin(
        tool: same.map(\.origin.tool) ?? password.tool ?? name.tool,
        refreshToken: password.refreshToken ?? same?.origin.refreshToken))
    invocation.tellOfNewGroup(madeGroup, vault.group)
  }

  private func take(_ cache: MSALCache, _ imported: inout ImportedItem) throws {
    let report = try CacheImport(vault).run(cache, isRehearsal: isRehearsal, needsContent: true)
    if !isRehearsal { invocation.tellOfNewGroup(report.madeGroup, vault.group) }
    let kinds = [
      ("added", report.added), ("updated", report.updated), ("unchanged", report.unchanged),
    ]
    for (word, accounts) in kinds {
      imported.lines += zip(accounts, accounts.shownPlaces).map { account, place in
        ImportedItem.Line(state: word, name: account.shownName, place: place)
      }
    }
    imported.stored = report.credentials
    if report.isEmpty { imported.fault = "it has no account and no token" }
  }

  // MARK: Taking out

  /// Whether everything of the item can be read back from the group.
  private func isKept(_ item: StoreItem) throws -> Bool {
    switch item.content {
    case .unusable: return false
    case .secret(let password):
      let kept = try ServiceSecrets(vault).exact(password.service, username: password.username)
      return kept.map(password.isKept(in:)) ?? false
    case .cache(let cache):
      let report = try CacheImport(vault).run(cache, isRehearsal: true, needsContent: true)
      return report.credentials == 0 && report.added.isEmpty && report.updated.isEmpty
    }
  }

  /// Takes out of the store the items that are in the group as a whole, after a question.
  func remove(
    _ items: inout [ImportedItem], _ confirmation: ConfirmationOption
  ) throws {
    var leaving: [Int] = []
    for index in items.indices {
      let item = items[index].item
      if case .fixed(let reason) = item.place {
        items[index].stays = reason
      } else if items[index].fault != nil {
        items[index].stays = "it did not come in"
      } else if let rest = item.rest {
        items[index].stays = "the vault does not have its \(PlainText.escaped(rest))"
      } else if try isKept(item) {
        leaving.append(index)
      } else {
        items[index].stays = "it cannot be read back from the group"
      }
    }
    guard !leaving.isEmpty else { return }
    let names = leaving.map { "  \(PlainText.escaped(items[$0].item.name))" }
    Invocation.tell("From \(name.title):\n" + names.joined(separator: "\n"))
    try confirmation.require("Remove \(leaving.count.counted("item"))?", in: invocation)
    for index in leaving {
      // One that fails is named, and does not keep the others.
      do {
        // Another program may have changed the group during the question.
        guard try isKept(items[index].item) else {
          items[index].stays = "it cannot be read back from the group"
          continue
        }
        switch try store.remove(items[index].item.place) {
        case .removed: items[index].isRemoved = true
        case .removedWithFault(let reason):
          items[index].isRemoved = true
          items[index].stays = reason
        case .changed: items[index].stays = "it has changed since it was read"
        }
      } catch { items[index].stays = Failure(error).message }
    }
  }
}

extension StoredPassword {
  /// The part that a stored secret has, too, with another value; nil for none.
  fileprivate func difference(from known: ServiceSecrets.Found) -> String? {
    if !ConstantTime.equal(known.secret.reveal(), secret.reveal()) { return "secret" }
    if let refreshToken, let other = known.origin.refreshToken,
      !ConstantTime.equal(other.reveal(), refreshToken.reveal())
    {
      return "refresh token"
    }
    if let expiresOn, let other = known.expiresOn, other != expiresOn { return "expiry" }
    return nil
  }

  /// Whether a stored secret has all of this one.
  fileprivate func isKept(in known: ServiceSecrets.Found) -> Bool {
    difference(from: known) == nil
      && (refreshToken == nil || known.origin.refreshToken != nil)
      && (expiresOn == nil || known.expiresOn != nil) && (!isRefreshToken || known.isRefreshToken)
  }

  /// Whether another item of the store has all of this one.
  fileprivate func isCovered(by other: StoredPassword) -> Bool {
    guard ConstantTime.equal(other.secret.reveal(), secret.reveal()) else { return false }
    let hasRefreshToken =
      refreshToken.map { token in
        other.refreshToken.map { ConstantTime.equal($0.reveal(), token.reveal()) } ?? false
      } ?? true
    return hasRefreshToken && (expiresOn == nil || expiresOn == other.expiresOn)
  }
}
