import Glibc

/// Descriptors 0, 1 and 2.
package enum StandardStreams {
  /// Makes sure that they are open. Otherwise the next file or socket would get one of these numbers,
  /// and a token meant for standard output would be written to it.
  package static func hold() {
    for descriptor in Int32(0)...2 where lseek(descriptor, 0, SEEK_CUR) < 0 && errno == EBADF {
      // In the wrong direction, so that using the descriptor fails instead of losing data.
      let flags = descriptor == 0 ? O_WRONLY : O_RDONLY
      // absent is an answer: without /dev/null there is no substitute.
      do { _ = try SystemCalls.open("/dev/null", flags) } catch { continue }
    }
  }
}
