import Foundation

/// The vectors that cannot be used, and why.
enum VectorError: Error, CustomStringConvertible {
  case notInstalled
  case unreadable(path: String)
  case empty(path: String)
  case missingField(String, path: String)

  var description: String {
    switch self {
    case .notInstalled:
      """
      TOKENVAULT_VECTORS is not set; run \
      scripts/test --filter TokenVaultCryptoTests
      """
    case .unreadable(let path): "no vectors at \(path); run scripts/test"
    case .empty(let path): "no vectors in \(path)"
    case .missingField(let name, let path): "a vector of \(path) has no \(name)"
    }
  }
}

/// One case of a file in the format of NIST's CAVP: `name = value` lines under `[name = value]`.
struct Vector {
  let path: String
  var fields: [String: String] = [:]

  func text(_ name: String) throws -> String {
    guard let value = fields[name] else { throw VectorError.missingField(name, path: path) }
    return value
  }

  func number(_ name: String) throws -> Int {
    guard let value = Int(try text(name)) else {
      throw VectorError.missingField(name, path: path)
    }
    return value
  }

  func bytes(_ name: String) throws -> [UInt8] {
    guard let bytes = [UInt8](hex: try text(name)) else {
      throw VectorError.missingField(name, path: path)
    }
    return bytes
  }
}

/// The cases of a file below the installed package; `first` is the field that starts each one.
func vectors(_ file: String, first: String) throws -> [Vector] {
  guard let directory = ProcessInfo.processInfo.environment["TOKENVAULT_VECTORS"] else {
    throw VectorError.notInstalled
  }
  let path = "\(directory)/\(file)"
  guard let data = FileManager.default.contents(atPath: path) else {
    throw VectorError.unreadable(path: path)
  }
  var section: [String: String] = [:]
  var found: [Vector] = []
  for line in data.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
    var line = Substring(decoding: line, as: UTF8.self)
    let isHeader = line.hasPrefix("[")
    if isHeader { line = line.dropFirst().dropLast() }
    let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      .map { $0.trimmingCharacters(in: .whitespaces) }
    guard let name = parts.first, !name.isEmpty, !name.hasPrefix("#") else { continue }
    let value = parts.count == 2 ? parts[1] : ""
    if isHeader {
      section[name] = value
    } else if name == first {
      found.append(Vector(path: path, fields: section.merging([name: value]) { $1 }))
    } else if !found.isEmpty {
      found[found.count - 1].fields[name] = value
    }
  }
  guard !found.isEmpty else { throw VectorError.empty(path: path) }
  return found
}

extension [UInt8] {
  init?(hex: String) {
    let digits = hex.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count.isMultiple(of: 2) else { return nil }
    self = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[index], let low = digits[index + 1] else { return nil }
      append(UInt8(high << 4 | low))
    }
  }
}
