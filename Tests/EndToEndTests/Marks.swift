import Foundation
import Testing

/// Texts that must stand in no file, in any of the spellings a program could leave them in.
struct Marks {
  private let spellings: [(mark: String, bytes: Data)]

  init(_ marks: [String]) {
    spellings = marks.flatMap { mark in
      Self.spellings(of: Data(mark.utf8), mark).map { (mark, $0) }
    }
  }

  private static func spellings(of bytes: Data, _ mark: String) -> [Data] {
    var all = [bytes]
    all += [String.Encoding.utf16LittleEndian, .utf16BigEndian].compactMap {
      mark.data(using: $0)
    }
    let hexadecimal = bytes.map { String(format: "%02x", $0) }.joined()
    all += [hexadecimal, hexadecimal.uppercased()].map { Data($0.utf8) }
    // In base64 a text has three spellings, by where it begins; what depends on its neighbours at
    // either end is left out.
    for before in 0..<3 {
      let text = (Data(count: before) + bytes).base64EncodedString()
      let inner = String(text.dropFirst(before == 0 ? 0 : 4).prefix { $0 != "=" }.dropLast(2))
      let forURLs = inner.replacing("+", with: "-").replacing("/", with: "_")
      all += [inner, forURLs].map { Data($0.utf8) }
    }
    return all
  }

  /// The marks that the bytes hold, in whatever spelling.
  func found(in bytes: Data) -> [String] {
    spellings.compactMap { bytes.range(of: $0.bytes) == nil ? nil : $0.mark }
  }

  func expectNone(
    in text: String, _ place: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let found = found(in: Data(text.utf8))
    #expect(found.isEmpty, "\(place) holds \(found)", sourceLocation: sourceLocation)
  }

  /// Looks into every file below a directory, and at every name.
  /// - Returns: how many files there were.
  @discardableResult
  func expectNone(
    below directory: URL, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Int {
    let files = try Machine.image(of: directory)
    for (name, bytes) in files {
      let found = found(in: bytes + Data(name.utf8))
      #expect(found.isEmpty, "\(name) holds \(found)", sourceLocation: sourceLocation)
    }
    return files.count
  }
}
