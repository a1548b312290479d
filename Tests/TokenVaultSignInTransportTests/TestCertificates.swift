import Foundation

/// Runs a program to its end; throws if it fails.
@discardableResult
func run(_ program: String, _ arguments: [String]) throws -> Data {
  let process = Process()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = [program] + arguments
  process.standardInput = FileHandle.nullDevice
  process.standardError = FileHandle.nullDevice
  let output = Pipe()
  process.standardOutput = output
  try process.run()
  let data = try output.fileHandleForReading.readToEnd() ?? Data()
  process.waitUntilExit()
  guard process.terminationStatus == 0 else { throw ToolFailure(tool: program) }
  return data
}

struct ToolFailure: Error { let tool: String }

/// A certificate authority that the system does not trust, with certificates for some hosts.
final class TestCertificates {
  let directory = FileManager.default.temporaryDirectory
    .appending(path: "tokenvault-tls-\(UUID().uuidString)")
  /// The authority's certificate.
  var authority: String { path("authority.pem") }

  init() throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    try run(
      "openssl",
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-keyout", path("authority.key"), "-out", authority, "-days", "2", "-subj",
        "/CN=authority \(UUID().uuidString)",
      ])
  }

  deinit {
    do { try FileManager.default.removeItem(at: directory) } catch {
      print("left behind: \(directory.path)")
    }
  }

  func path(_ name: String) -> String { directory.appending(path: name).path }

  /// The path of a certificate for these names (`DNS:…`, `IP:…`) and its key, in one file.
  func certificate(for names: String, days: Int = 2) throws -> String {
    let name = UUID().uuidString
    let (key, request, made) = (path(name + ".key"), path(name + ".csr"), path(name + ".pem"))
    try run(
      "openssl",
      [
        "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-keyout", key, "-out", request, "-subj", "/CN=server",
      ])
    let extensions = path(name + ".ext")
    try Data("subjectAltName=\(names)\n".utf8).write(to: URL(filePath: extensions))
    try run(
      "openssl",
      [
        "x509", "-req", "-in", request, "-CA", authority, "-CAkey", path("authority.key"),
        "-CAcreateserial", "-days", String(days), "-extfile", extensions, "-out", made,
      ])
    let both = path(name + ".both.pem")
    try (Data(contentsOf: URL(filePath: made)) + Data(contentsOf: URL(filePath: key)))
      .write(to: URL(filePath: both))
    return both
  }
}

/// `openssl s_server`, which replies to every request with a page about the connection.
final class TLSServer {
  let port: UInt16
  private let process = Process()

  init(_ certificate: String, _ options: [String] = []) throws {
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      ["openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-www"] + options
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    var said = ""
    while !said.contains("ACCEPT") || !said.hasSuffix("\n") {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { throw ToolFailure(tool: "openssl s_server") }
      said += String(decoding: more, as: UTF8.self)
    }
    guard let port = UInt16(said.split(separator: ":").last?.prefix { $0.isNumber } ?? "") else {
      throw ToolFailure(tool: "openssl s_server")
    }
    self.port = port
  }

  deinit {
    // Children of Dispatch's threads inherit a blocked SIGTERM.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
