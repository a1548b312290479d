import ArgumentParser

/// The values of `--attribute`.
struct StoreAttributes {
  let pairs: [(String, String)]

  init(_ texts: [String]) throws {
    pairs = try texts.map { text in
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw ValidationError("--attribute takes NAME=VALUE, such as Version=1.")
      }
      return (String(parts[0]), String(parts[1]))
    }
  }
}
