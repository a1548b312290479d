import Foundation
import TokenVaultSignIn
import TokenVaultSignInTransport
import Testing
import TokenVaultTestSupport

/// The certificates that the transport trusts.
@Suite(.timeLimit(.minutes(10))) struct TLSTests {
  private let certificates: TestCertificates

  init() throws { certificates = try TestCertificates() }

  private func status(
    _ host: String, _ port: UInt16, file: String? = nil, directory: String? = nil
  ) throws -> Int {
    let settings = HTTPSettings(certificateFile: file, certificateDirectory: directory)
    return try CurlTransport(settings)
      .send(
        HTTPRequest(try address("https://\(host):\(port)/"), deadlineMilliseconds: 300_000),
        Cancellation()
      ).status
  }

  @Test(.parity("ClientApplication.verify"))
  func certificatesFromTheGivenFileOrDirectoryAreTrusted() throws {
    let server = try TLSServer(try certificates.certificate(for: "DNS:localhost,IP:127.0.0.1"))
    #expect(try status("localhost", server.port, file: certificates.authority) == 200)
    #expect(try status("127.0.0.1", server.port, file: certificates.authority) == 200)
    let directory = certificates.path("trusted")
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: false)
    #expect(throws: TransportError.untrusted(host: "localhost")) {
      try status("localhost", server.port, directory: directory)
    }
    try FileManager.default.copyItem(
      atPath: certificates.authority, toPath: directory + "/authority.pem")
    try run("openssl", ["rehash", directory])
    #expect(try status("localhost", server.port, directory: directory) == 200)
  }

  /// In a dynamically linked program, libcurl and the vault share one OpenSSL. The options of the
  /// first user apply to both, and without all digests no certificate would verify.
  @Test func theVaultsCryptographyDoesNotAffectTLS() throws {
    let server = try TLSServer(try certificates.certificate(for: "DNS:localhost"))
    let answer = try runTransportProbe(
      ["https://localhost:\(server.port)/", certificates.authority])
    #expect(answer.contains("status 200"), "\(answer)")
  }

  @Test func aCertificateOfAnUnknownAuthorityIsNotTrusted() throws {
    let server = try TLSServer(try certificates.certificate(for: "DNS:localhost"))
    #expect(throws: TransportError.untrusted(host: "localhost")) {
      try status("localhost", server.port)
    }
    let others = try TestCertificates()
    #expect(throws: TransportError.untrusted(host: "localhost")) {
      try status("localhost", server.port, file: others.authority)
    }
  }

  @Test(arguments: ["DNS:other.example", "IP:127.0.0.2", "DNS:localhost.example"])
  func rfc9110_section4_3_4_aCertificateForAnotherHostIsNotTrusted(names: String) throws {
    let server = try TLSServer(try certificates.certificate(for: names))
    for host in ["localhost", "127.0.0.1"] {
      #expect(throws: TransportError.untrusted(host: host)) {
        try status(host, server.port, file: certificates.authority)
      }
    }
  }

  @Test func anExpiredCertificateIsNotTrusted() throws {
    let server = try TLSServer(try certificates.certificate(for: "DNS:localhost", days: -1))
    #expect(throws: TransportError.untrusted(host: "localhost")) {
      try status("localhost", server.port, file: certificates.authority)
    }
  }

  @Test func aFileWithoutCertificatesIsReported() throws {
    let server = try TLSServer(try certificates.certificate(for: "DNS:localhost"))
    let garbage = certificates.path("garbage.pem")
    try Data("not a certificate".utf8).write(to: URL(filePath: garbage))
    for file in [certificates.path("missing.pem"), garbage] {
      #expect(throws: TransportError.badCertificateFile(path: file)) {
        try status("localhost", server.port, file: file)
      }
    }
  }

  @Test func rfc8996_outdatedTLSVersionsAreRefused() throws {
    let server = try TLSServer(
      try certificates.certificate(for: "DNS:localhost"),
      ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"])
    #expect(throws: TransportError.noTLS(host: "localhost")) {
      try status("localhost", server.port, file: certificates.authority)
    }
  }

  @Test func aServerWithoutTLSIsReported() throws {
    let blunt = try ScriptedServer.blunt("HTTP/1.1 400 Bad Request\r\n\r\n")
    defer { blunt.stop() }
    #expect(throws: TransportError.noTLS(host: "localhost")) {
      try status("localhost", blunt.port, file: certificates.authority)
    }
  }
}
