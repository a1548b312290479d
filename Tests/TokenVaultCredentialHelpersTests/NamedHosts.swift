import TokenVaultCredentialHelpers
import TokenVaultModel

/// The texts of a call in which a host can be named.
struct NamedHosts {
  private let texts: [[UInt8]]

  /// The arguments, the variables and the input, and each string in their JSON.
  init(_ call: HelperCall) {
    let plain = (call.arguments + call.environment.values).map { Array($0.utf8) } + [call.input]
    texts = (plain + plain.flatMap(Self.strings)).map { $0.map(Self.lowercased) }
  }

  /// Whether a text has the host with nothing at its sides that would make it another one.
  func name(_ host: String) -> Bool {
    let host = Array(host.utf8)
    return texts.contains { text in
      guard text.count >= host.count else { return false }
      return (0...(text.count - host.count)).contains { start in
        let end = start + host.count
        return text[start..<end].elementsEqual(host)
          && (start == 0 || !Self.continues(text[start - 1]))
          && (end == text.count || !Self.continues(text[end]))
      }
    }
  }

  private static func continues(_ byte: UInt8) -> Bool {
    (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || byte >= 0x80
      || "-._@\\%".utf8.contains(byte)
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (0x41...0x5a).contains(byte) ? byte | 0x20 : byte
  }

  private static func strings(_ bytes: [UInt8]) -> [[UInt8]] {
    do { return strings(try JSONValue(parsing: bytes)) } catch { return [] }
  }

  private static func strings(_ value: JSONValue) -> [[UInt8]] {
    switch value {
    case .string(let text): [Array(text.utf8)]
    case .array(let elements): elements.flatMap(strings)
    case .object(let members): members.flatMap { strings($0.value) }
    case .null, .bool, .number: []
    }
  }
}
