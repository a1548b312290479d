import TokenVaultModel

/// A JSON object in a file of the user. It may have only known fields.
struct JSONFile {
  private let path: String
  private let object: JSONValue

  init(_ bytes: [UInt8], path: String, fields: [String]) throws(VaultError) {
    self.path = path
    do { object = try JSONValue(parsing: bytes) } catch {
      throw .badManifest(path: path, fault: Self.fault(error, bytes))
    }
    guard let members = object.members else { throw .badManifest(path: path, fault: .notJSON) }
    if let unknown = members.map(\.name).sorted().first(where: { !fields.contains($0) }) {
      throw .badManifest(path: path, fault: .unknownField(unknown))
    }
  }

  private static func fault(_ error: JSONError, _ bytes: [UInt8]) -> ManifestFault {
    guard case .syntax(let offset) = error, !bytes.isEmpty else { return .notJSON }
    let lines = bytes[..<offset].split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return .syntax(line: lines.count, column: (lines.last?.count ?? 0) + 1)
  }

  /// The members of an object, whatever their names.
  static func members(
    _ bytes: [UInt8], path: String
  ) throws(VaultError) -> [JSONValue.Member] {
    let value: JSONValue
    do { value = try JSONValue(parsing: bytes) } catch {
      throw .badManifest(path: path, fault: fault(error, bytes))
    }
    guard let members = value.members else { throw .badManifest(path: path, fault: .notJSON) }
    return members
  }

  func value(_ field: String) throws(VaultError) -> JSONValue {
    guard let value = object[field] else {
      throw .badManifest(path: path, fault: .missingField(field))
    }
    return value
  }

  func has(_ field: String) -> Bool { object[field] != nil }

  func text(_ field: String) throws(VaultError) -> String {
    guard let text = try value(field).text, !text.isEmpty else { throw bad(field) }
    return text
  }

  func bad(_ field: String) -> VaultError { .badManifest(path: path, fault: .badValue(field)) }
}
