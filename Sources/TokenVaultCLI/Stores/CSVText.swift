/// The rows of a file in the form of RFC 4180: quotes around values that have commas, quotes or line
/// ends.
enum CSVText {
  /// Nil if a quote is left open, or stands where none can.
  static func rows(_ bytes: [UInt8]) -> [[[UInt8]]]? {
    var rows: [[[UInt8]]] = []
    var row: [[UInt8]] = []
    var value: [UInt8] = []
    var rest = bytes[...]
    let quote = UInt8(ascii: "\"")
    while let byte = rest.popFirst() {
      switch byte {
      case quote:
        guard value.isEmpty else { return nil }
        while true {
          guard let next = rest.popFirst() else { return nil }
          if next != quote {
            value.append(next)
          } else if rest.first == quote {
            value.append(quote)
            rest.removeFirst()
          } else {
            break
          }
        }
        guard rest.first.map({ ",\r\n".utf8.contains($0) }) ?? true else { return nil }
      case UInt8(ascii: ","):
        row.append(value)
        value = []
      case UInt8(ascii: "\r") where rest.first == UInt8(ascii: "\n"): break
      case UInt8(ascii: "\n"):
        rows.append(row + [value])
        (row, value) = ([], [])
      default: value.append(byte)
      }
    }
    if !row.isEmpty || !value.isEmpty { rows.append(row + [value]) }
    return rows
  }
}
