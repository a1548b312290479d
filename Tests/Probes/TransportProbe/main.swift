// Sends one GET request in a process with an environment that the test chooses, and prints the
// result, whether libcurl is loaded, and the process's peak memory.
//
//   transport-probe [URL [CERTIFICATE-FILE]]
import Glibc
import TokenVaultSignIn
import TokenVaultSignInTransport
import TokenVaultCrypto

/// The first line of a file in /proc/self that contains a text; empty if there is none.
func line(_ file: String, _ text: String) -> String {
  guard let stream = unsafe fopen("/proc/self/\(file)", "r") else { return "?" }
  defer { unsafe fclose(stream) }
  var buffer = [CChar](repeating: 0, count: 4096)
  while unsafe fgets(&buffer, 4096, stream) != nil {
    let line = String(
      decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    if line.contains(text) { return String(line.filter { $0 != "\n" && $0 != "\t" }) }
  }
  return ""
}

// A program has usually opened its vault before it needs the network.
do { _ = try Digest.sha256([]) } catch { print("error \(error)") }
if let text = CommandLine.arguments.dropFirst().first, let address = HTTPURL(text) {
  let settings = HTTPSettings(certificateFile: CommandLine.arguments.dropFirst(2).first)
  do throws(TransportError) {
    let request = HTTPRequest(address, deadlineMilliseconds: 300_000)
    print("status \(try CurlTransport(settings).send(request, Cancellation()).status)")
  } catch { print("error \(error)") }
}
print(line("maps", "libcurl").isEmpty ? "without libcurl" : "with libcurl")
print(line("status", "VmHWM"))
