import Foundation
import Testing

/// Texts that must not occur in a file, in any encoding in which a program might write them.
struct Marks {
  private let encodings: [(mark: String, bytes: Data)]

  init(_ marks: [String]) {
    encodings = marks.flatMap { mark in
      Self.encodings(of: Data(mark.utf8), mark).map { (mark, $0) }
    }
  }

  private static func encodings(of bytes: Data, _ mark: String) -> [Data] {
    var all = [bytes]
    all += [String.Encoding.utf16LittleEndian, .utf16BigEndian].compactMap {
      mark.data(using: $0)
    }
    let hexadecimal = bytes.map { String(format: "%02x", $0) }.joined()
    all += [hexadecimal, hexadecimal.uppercased()].map { Data($0.utf8) }
    // In base64 a text has three encodings, depending on its offset. The characters at both ends
    // that depend on the neighbouring bytes are left out.
    for before in 0..<3 {
      let text = (Data(count: before) + bytes).base64EncodedString()
      let inner = String(text.dropFirst(before == 0 ? 0 : 4).prefix { $0 != "=" }.dropLast(2))
      let forURLs = inner.replacing("+", with: "-").replacing("/", with: "_")
      all += [inner, forURLs].map { Data($0.utf8) }
    }
    return all
  }

  /// The marks that the bytes contain in any encoding.
  func found(in bytes: Data) -> [String] {
    encodings.compactMap { bytes.range(of: $0.bytes) == nil ? nil : $0.mark }
  }

  func expectNone(
    in text: String, _ place: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let found = found(in: Data(text.utf8))
    #expect(found.isEmpty, "\(place) contains \(found)", sourceLocation: sourceLocation)
  }

  /// Searches the names and the content of all files below a directory.
  /// - Returns: the number of files.
  @discardableResult
  func expectNone(
    below directory: URL, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Int {
    let files = try Machine.image(of: directory)
    for (name, bytes) in files {
      let found = found(in: bytes + Data(name.utf8))
      #expect(found.isEmpty, "\(name) contains \(found)", sourceLocation: sourceLocation)
    }
    return files.count
  }
}
