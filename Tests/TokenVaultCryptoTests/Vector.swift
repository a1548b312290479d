import Foundation
import TokenVaultModel

/// One test vector from a file in the format of NIST's CAVP: lines `name = value` under section
/// headers `[name = value]`.
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
    guard let bytes = Hexadecimal.decode(try text(name).utf8) else {
      throw VectorError.missingField(name, path: path)
    }
    return bytes
  }
}

/// The vectors in a file of the installed package. `first` is the field with which each vector
/// starts.
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
