import TokenVaultModel

extension Account {
  /// The name that people know: the user name, else the alias, else the identifier.
  var shownName: String {
    if !username.isEmpty { return username }
    if let alias { return alias }
    return identifier.isEmpty ? "(no account)" : identifier
  }

  /// The environment, and in B2C the policy: the same user has one account for each policy.
  var shownPlace: String { policy.map { "\(environment) \($0)" } ?? environment }
}

extension [Account] {
  /// The shortest text for each account that names none of the others.
  var shortestForms: [String] {
    let forms = map { account in
      let names = account.username.isEmpty ? [] : [account.username]
      return
        (names + names.map { "\($0)//\(account.environment)" }
        + (account.issuer.isEmpty ? [] : names.map { "\($0)//\(account.issuer)" })
        + [account.selector])
    }
    let counts = Dictionary(
      forms.joined().map { ($0.lowercased(), 1) }, uniquingKeysWith: +)
    return zip(self, forms).map { account, forms in
      forms.first { counts[$0.lowercased()] == 1 } ?? account.selector
    }
  }

  /// The name of each account; of several with one name, the shortest text that tells them apart.
  var toldApart: [String] {
    zip(self, shortestForms).map { account, form in
      account.username.isEmpty ? account.shownName : form
    }
  }

  /// Where each account is: the place; the issuer if an account with the same name is at the same
  /// place; and the beginning of the id if this does not tell them apart either.
  var shownPlaces: [String] {
    let places = placesOfNamesakes
    return indices.map { places[$0] ?? self[$0].shownPlace }
  }

  /// The same, by index, for the accounts whose name is also that of another one in their group.
  var placesOfNamesakes: [Int: String] {
    // Usually no two names are equal, and then the groups do not matter.
    guard !hasOnlyDistinctNames else { return [:] }
    let names = map { "\($0.shownName.lowercased())\n\($0.group)" }
    let counts = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
    guard counts.count < count else { return [:] }
    let namesakes = indices.filter { counts[names[$0], default: 1] > 1 }
    let places = namesakes.map { self[$0] }.distinguishedPlaces
    return Dictionary(uniqueKeysWithValues: zip(namesakes, places))
  }

  private var hasOnlyDistinctNames: Bool {
    let keys = map { CaseFolding.key($0.shownName) }
    // A listing is in the order of its names, where a comparison of neighbours is enough.
    return zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 } || Set(keys).count == count
  }

  private var distinguishedPlaces: [String] {
    let places = distinguished(map(\.shownPlace)) {
      $0.service ?? ($0.issuer.isEmpty ? $1 : $0.issuer)
    }
    return [8, 16, 36, .max].reduce(places) { places, length in
      distinguished(places) { account, _ in
        let id = account.identifier
        return "\(account.shownPlace) \(id.prefix(length))\(id.count > length ? "…" : "")"
      }
    }
  }

  /// The name of each account, with its place after it if the account before or after it has the
  /// same name. The accounts are in order.
  func labels(_ places: [String]) -> [String] {
    indices.map { label($0, places[$0]) }
  }

  /// The same for one account.
  func label(_ index: Int, _ place: String) -> String {
    let name = PlainText.escaped(self[index].shownName)
    return isTwin(index) ? "\(name) \(place)" : name
  }

  /// Whether the account before or after it has the same name. The accounts are in order.
  func isTwin(_ index: Int) -> Bool {
    [index - 1, index + 1].contains { other in
      indices.contains(other) && self[other].group == self[index].group
        && CaseFolding.equal(self[other].shownName, self[index].shownName)
    }
  }

  /// The places, changed where two accounts of one name and group have the same.
  private func distinguished(
    _ places: [String], _ change: (Account, String) -> String
  ) -> [String] {
    let keys = zip(self, places).map { [$0.shownName.lowercased(), $1, $0.group.description] }
    let counts = Dictionary(keys.map { ($0, 1) }, uniquingKeysWith: +)
    guard counts.count < count else { return places }
    return zip(zip(self, places), keys).map { pair, key in
      counts[key, default: 1] == 1 ? pair.1 : change(pair.0, pair.1)
    }
  }
}
