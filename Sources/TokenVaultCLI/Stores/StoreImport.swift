import TokenVault
import TokenVaultCrypto
import TokenVaultModel

/// Brings the items of a store into the vault, and takes them out of the store on request.
struct StoreImport {
  let store: any CredentialStore
  let name: StoreName
  let invocation: Invocation
  /// The group of passwords, or that of token caches.
  let vault: GroupSession
  let isRehearsal: Bool
  /// Whether a different secret in the group is replaced.
  let replaces: Bool

  /// Stores an item. Nothing is stored twice, and no secret is replaced unasked.
  func take(_ item: StoreItem) throws -> ImportedItem {
    var imported = ImportedItem(item)
    switch item.content {
    case .unusable(let reason): imported.fault = reason
    case .secret(let password): try take(password, &imported)
    case .cache(let cache): try take(cache, &imported)
    }
    return imported
  }

  private func take(_ password: StoredPassword, _ imported: inout ImportedItem) throws {
    let secrets = ServiceSecrets(vault)
    let known = try secrets.exact(password.service, username: password.username)
    let word: String
    if let known {
      if ConstantTime.equal(known.secret.reveal(), password.secret.reveal()) {
        word = "unchanged"
      } else {
        guard replaces else {
          imported.fault =
            "the group has another secret for \(PlainText.escaped(password.username)) at "
            + "\(password.service); --force replaces it"
          return
        }
        word = "replaced"
      }
    } else {
      word = "added"
    }
    imported.lines = [
      ImportedItem.Line(
        state: word, name: password.username, place: password.service.description)
    ]
    imported.stored = word == "unchanged" ? 0 : 1
    guard !isRehearsal, word != "unchanged" else { return }
    let (_, madeGroup, _) = try secrets.store(
      password.secret, service: password.service, username: password.username,
      expiresOn: password.expiresOn, as: password.form,
      from: SecretOrigin(tool: password.tool ?? name.tool, refreshToken: password.refreshToken))
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
      return kept.map { ConstantTime.equal($0.secret.reveal(), password.secret.reveal()) } ?? false
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
        if try store.remove(items[index].item.place) {
          items[index].isRemoved = true
        } else {
          items[index].stays = "it has changed since it was read"
        }
      } catch { items[index].stays = Failure(error).message }
    }
  }
}
