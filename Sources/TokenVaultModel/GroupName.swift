/// The validated name of a keychain group, in the reverse-DNS form that MSAL uses.
///
/// Lower-case ASCII letters, digits and hyphens in labels joined by single dots, 1 to 128
/// characters. The name becomes a file name, so text that could leave a directory, hide a file or
/// collide with another spelling is not a name.
public struct GroupName: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The name as it is written in manifests and on the command line.
  public let description: String

  /// MSAL's default keychain sharing group on macOS, and this vault's default group.
  public static let universalStorage = GroupName(checked: "com.microsoft.identity.universalstorage")

  /// Returns nil when `text` is not a group name.
  public init?(_ text: String) {
    guard text.utf8.count <= 128 else { return nil }
    let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard labels.allSatisfy(Self.isLabel) else { return nil }
    description = text
  }

  private init(checked text: String) { description = text }

  private static func isLabel(_ label: Substring.UTF8View) -> Bool {
    guard let first = label.first, let last = label.last else { return false }
    let hyphen = UInt8(ascii: "-")
    return first != hyphen && last != hyphen
      && label.allSatisfy { byte in
        byte == hyphen || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      }
  }

  /// Orders names by their text.
  public static func < (left: GroupName, right: GroupName) -> Bool {
    left.description < right.description
  }
}

extension GroupName: ExpressibleByStringLiteral {
  /// A name written in the program, such as `let group: GroupName = "com.example.tools"`.
  ///
  /// - Precondition: the literal is a group name; otherwise the program stops, and a debug build
  ///   prints the rule. Use
  ///   ``init(_:)`` for text that comes from outside of the program.
  public init(stringLiteral value: String) {
    guard let name = GroupName(value as String) else {
      preconditionFailure(
        """
        "\(value)" is not a group name: use 1 to 128 lower-case letters, digits and hyphens, in \
        labels joined by single dots, such as com.example.tools.
        """)
    }
    self = name
  }
}
