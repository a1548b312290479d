/// Facts from a neighbouring file about the secrets of a file.
package struct PlaintextContext: Sendable {
  /// The index URLs of cargo's registries, by their names.
  package var registries: [String: String] = [:]

  package init() {}

  /// Reads the registries of cargo's `config.toml`. A file that is not understood has none.
  package mutating func readCargoConfiguration(_ bytes: [UInt8]) {
    // absent is an answer: without its index, a token is reported and stays where it is.
    do {
      for leaf in try TOMLText.leaves(CargoCredentials.registryLines(bytes))
      where leaf.path.count == 3 && leaf.path[0] == "registries" && leaf.path[2] == "index" {
        registries[leaf.path[1]] = leaf.value
      }
    } catch { registries = [:] }
  }
}
