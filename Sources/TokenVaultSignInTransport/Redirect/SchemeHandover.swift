import Glibc
import TokenVaultSignIn
import TokenVaultSystem

/// Delivers the URL that the desktop opened to the process that waits for it: the other end of a
/// listener for ``RedirectURI/scheme(_:rest:)`` (MSAL's `handleMSALResponse`).
public enum SchemeHandover {
  static let taken = Array("taken\n".utf8)
  static let refused = Array("refused\n".utf8)

  /// Delivers a URL, and waits at most ten seconds until it is accepted.
  /// - Parameters:
  ///   - url: the URL as the desktop passed it.
  ///   - directory: the user's runtime directory (`XDG_RUNTIME_DIR`).
  public static func deliver(url: String, directory: String) throws(HandoverError) {
    let bytes = Array(url.utf8)
    let scheme: String
    do {
      guard url.contains(":"), bytes.count < RedirectRequest.limit,
        bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7f }),
        case .scheme(let name, _) = try RedirectURI(
          String(url.prefix { $0 != ":" }) + "://redirect")
      else { throw SignInError.invalidRedirectURI }
      scheme = name
    } catch { throw .invalidURL }
    let answer: [UInt8]
    do throws(SystemCallError) {
      let meeting = try MeetingPlace(directory, scheme: scheme, creating: false)
      let socket = try ListeningSocket.connect(unix: meeting.socket)
      defer { close(socket) }
      guard ListeningSocket.isOwn(socket) else {
        throw SystemCallError(errno: EACCES, call: "getsockopt")
      }
      answer = try exchange(bytes + [0x0a], socket)
    } catch {
      throw [ENOENT, ECONNREFUSED].contains(error.errno)
        ? .nobodyWaits : .failed(errno: error.errno)
    }
    guard answer == taken else { throw .refused }
  }

  private static func exchange(
    _ bytes: [UInt8], _ socket: Int32
  ) throws(SystemCallError) -> [UInt8] {
    var patience = timeval(tv_sec: 10, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      unsafe setsockopt(socket, SOL_SOCKET, option, &patience, size)
    }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno != EINTR { throw SystemCallError(errno: errno, call: "send") }
      rest = rest.dropFirst(max(0, count))
    }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64)
    while !answer.contains(0x0a), answer.count < 64 {
      let count = unsafe recv(socket, &buffer, buffer.count, 0)
      if count == 0 { break }
      if count < 0, errno != EINTR { throw SystemCallError(errno: errno, call: "recv") }
      answer += buffer.prefix(max(0, count))
    }
    return answer
  }
}
