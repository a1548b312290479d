import Glibc

/// The users of this process's user namespace.
package enum UserNamespace {
  /// Whether other users of the machine may appear as this one: the kernel shows every user whom the
  /// namespace does not map as the overflow user.
  package static func hides(_ user: UInt32) -> Bool {
    let overflow = text("/proc/sys/kernel/overflowuid") ?? "65534"
    return hides(user, overflow: overflow, map: text("/proc/self/uid_map") ?? "")
  }

  /// - Parameters:
  ///   - overflow: the text of /proc/sys/kernel/overflowuid.
  ///   - map: the text of /proc/self/uid_map, in each line the first user inside, the first user
  ///     outside, and how many there are.
  static func hides(_ user: UInt32, overflow: String, map: String) -> Bool {
    words(overflow) == [[String(user)]] && words(map) != [["0", "0", "4294967295"]]
  }

  private static func words(_ text: String) -> [[String]] {
    text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
  }

  /// Nil if the file cannot be read.
  private static func text(_ path: String) -> String? {
    do throws(SystemCallError) {
      let descriptor = try SystemCalls.open(path, O_RDONLY)
      defer { close(descriptor) }
      return try SystemCalls.readAll(descriptor, limit: 1 << 16).map {
        String(decoding: $0, as: UTF8.self)
      }
      // absent is an answer: without /proc, only the usual overflow user counts as one.
    } catch { return nil }
  }
}
