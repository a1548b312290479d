internal import TokenVaultCSystem

/// The arguments of this process, the program's name first.
///
/// The C library passes them to this module when the process starts. `CommandLine` reads
/// `/proc/self/cmdline`, and a process that cannot read it would run without arguments: it would
/// print help and succeed.
package enum ProcessArguments {
  /// The arguments. Bytes that are not UTF-8 are replaced.
  package static func texts() -> [String] {
    (0..<Int(tv_argument_count())).map { unsafe String(cString: tv_argument(Int32($0))) }
  }

  /// Whether the bytes of an argument are UTF-8.
  package static func isUTF8(_ index: Int) -> Bool {
    guard index < Int(tv_argument_count()) else { return false }
    return unsafe String(validatingCString: tv_argument(Int32(index))) != nil
  }
}
