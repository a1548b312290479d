import Glibc
import TokenVaultModel

extension Invocation {
  /// A member named on the command line. A path is made absolute and its links are resolved, because
  /// the kernel names running programs this way.
  func member(_ text: String) throws(CommandError) -> GroupManifest.Member {
    var name = text
    if text.utf8.contains(UInt8(ascii: "/")) {
      name = try PathText.normal(absolute(text))
      if let resolved = unsafe realpath(name, nil) {
        name = unsafe String(cString: resolved)
        unsafe free(resolved)
        if unsafe access(name, X_OK) != 0 {
          tell("Note: \(PlainText.escaped(name)) is not executable.")
        }
      } else {
        tell("Note: \(PlainText.escaped(name)) does not exist yet.")
      }
    }
    guard let member = GroupManifest.Member(name) else { throw .badMember(text) }
    return member
  }
}
