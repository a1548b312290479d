internal import TokenVaultCQRCode
import TokenVaultSystem

/// A QR code made of half blocks: two rows of modules to a line of text. It is drawn dark on light
/// with the terminal's own colours reversed, so it needs no colour and works on a dark screen.
enum QRCode {
  /// The lines for a text; a note where libqrencode is not installed; none where the text is too
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
    // Light modules are drawn: the screen is taken for dark.
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
