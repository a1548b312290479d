/// cargo's credentials.toml, and the tokens in its config.toml.
enum CargoCredentials {
  private static let defaultIndex = "https://index.crates.io"

  static func secrets(
    _ bytes: [UInt8], _ registries: [String: String]
  ) throws(PlaintextError) -> [PlaintextSecret] {
    try TOMLText.leaves(registryLines(bytes)).compactMap { leaf in
      let isDefault = leaf.path.count == 2 && leaf.path[0] == "registry"
      let isNamed = leaf.path.count == 3 && leaf.path[0] == "registries"
      guard isDefault || isNamed, leaf.value?.isEmpty != true else { return nil }
      switch leaf.name {
      case "token":
        var secret = PlaintextSecret(.token, at: leaf.place, cuts: [leaf.cut])
        let index = isDefault ? defaultIndex : registries[leaf.path[1]]
        secret.service = index.map {
          $0.hasPrefix("sparse+") ? String($0.dropFirst("sparse+".count)) : $0
        }
        secret.username = "cargo"
        secret.hold(leaf.value)
        return secret
      case "secret-key": return PlaintextSecret(.privateKey, at: leaf.place, cuts: [])
      default: return nil
      }
    }
  }

  /// The file with spaces in place of the lines of other tables, which may be in any form of TOML.
  static func registryLines(_ bytes: [UInt8]) -> [UInt8] {
    var kept = bytes
    var (isInTable, isOwn) = (false, false)
    for line in TextLine.all(bytes) {
      let text = String(decoding: bytes[line.content], as: UTF8.self)
      let begins = text.drop { " \t[\"'".contains($0) }.hasPrefix("registr")
      if text.trimmed.hasPrefix("[") { (isInTable, isOwn) = (true, begins) }
      guard isInTable ? !isOwn : !begins else { continue }
      for index in line.content { kept[index] = 0x20 }
    }
    return kept
  }
}
