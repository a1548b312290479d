internal import TokenVaultCQRCode
import TokenVaultSystem

/// A QR code in half blocks, two rows of modules to a line of text. The light modules are drawn, so
/// the code works on a dark screen and without colour.
enum QRCode {
  /// The lines of the code; a single note if libqrencode is not installed; empty if the text is too
  /// long or the terminal too narrow.
  static func lines(_ text: String) -> [String] {
    guard tv_qr_library() else { return ["(no QR code: libqrencode4 is not installed)"] }
    // Version 40 has 177 modules a side.
    var modules = [UInt8](repeating: 0, count: 177 * 177)
    let width = unsafe Int(tv_qr_encode(text, &modules, modules.count))
    guard width > 0 else { return [] }
    let edge = 2
    if let columns = SystemCalls.windowSize(2)?.columns, columns < width + 2 * edge { return [] }
    func isDark(_ row: Int, _ column: Int) -> Bool {
      (0..<width).contains(row) && (0..<width).contains(column)
        && modules[row * width + column] == 1
    }
    return stride(from: -edge, to: width + edge, by: 2).map { row in
      (-edge..<width + edge).map { column in
        switch (isDark(row, column), isDark(row + 1, column)) {
        case (false, false): "█"
        case (false, true): "▀"
        case (true, false): "▄"
        case (true, true): " "
        }
      }.joined()
    }
  }
}
