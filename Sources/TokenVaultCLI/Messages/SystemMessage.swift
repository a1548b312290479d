import Glibc

/// The C library's text for an errno value.
enum SystemMessage {
  static let noEntry = ENOENT

  static func text(_ code: Int32) -> String {
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: text)
  }
}
