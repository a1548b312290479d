import TokenVaultPlaintext

/// Files in which other tools leave tokens. An input's first byte selects the format.
enum PlaintextFiles {
  static func read(_ input: [UInt8]) {
    guard let kind = input.first else { return }
    let formats = PlaintextFormat.allCases
    let file = PlaintextFile(Array(input.dropFirst()), formats[Int(kind) % formats.count])
    for index in file.secrets.indices.prefix(8) where file.secrets[index].obstacle == nil {
      do throws(PlaintextError) {
        let rest = try file.removing([index])
        let cuts = try file.cuts([index])
        precondition(rest.count == file.bytes.count - cuts.reduce(0) { $0 + $1.count })
        let kept = PlaintextFile(rest, file.format).secrets
        precondition(kept.count == file.secrets.count - 1 || rest.isEmpty)
      } catch { precondition(!"\(error)".isEmpty) }
    }
  }
}
