import Foundation

extension String {
  /// The text with the characters escaped that have a meaning in HTML, for content and for
  /// attributes in double quotes.
  var html: String {
    replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
      .replacingOccurrences(of: ">", with: "&gt;").replacingOccurrences(of: "\"", with: "&quot;")
  }
}
