import Glibc

/// What the C library says to an errno.
enum SystemMessage {
  static let noEntry = ENOENT

  static func text(_ code: Int32) -> String {
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: text)
  }
}
