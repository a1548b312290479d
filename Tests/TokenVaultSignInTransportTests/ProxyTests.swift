import Foundation
import TokenVaultSignIn
import TokenVaultSignInTransport
import Synchronization
import Testing
import TokenVaultTestSupport

/// The environment's proxy settings, each in a process of its own.
@Suite(.timeLimit(.minutes(10))) struct ProxyTests {
  private static let host = "provider.example"

  /// A proxy that connects every CONNECT request to one port of this machine.
  private func proxy(to port: UInt16) throws -> ScriptedServer {
    try ScriptedServer { client, request in
      guard request.hasPrefix("CONNECT "), let server = LocalClient("127.0.0.1", port) else {
        return false
      }
      client.write("HTTP/1.1 200 OK\r\nX-Proxy: yes\r\n\r\n")
      Thread.detachNewThread {
        while let bytes = ScriptedServer.Peer(socket: server.socket).read() { client.write(bytes) }
        shutdown(client.socket, Int32(SHUT_WR))
      }
      while let bytes = client.read() { server.write(bytes) }
      server.reset()
      return false
    }
  }

  @Test(
    .parity("ClientApplication.proxies", "ClientApplication.verify"),
    arguments: ["https_proxy", "HTTPS_PROXY", "all_proxy"])
  func theEnvironmentsProxyIsUsedAndTheServersCertificateStillChecked(name: String) throws {
    let certificates = try TestCertificates()
    let server = try TLSServer(try certificates.certificate(for: "DNS:\(Self.host)"))
    let proxy = try proxy(to: server.port)
    defer { proxy.stop() }
    let environment = [name: proxy.url]
    let trusted = try runTransportProbe(
      ["https://\(Self.host)/", certificates.authority], environment: environment)
    #expect(trusted.first == "status 200")
    #expect(proxy.requests.first?.hasPrefix("CONNECT \(Self.host):443 HTTP/1.1\r\n") == true)
    let untrusted = try runTransportProbe(["https://\(Self.host)/"], environment: environment)
    #expect(untrusted.first == "error untrusted(host: \"\(Self.host)\")")
  }

  @Test func hostsInNoProxyAreContactedDirectly() throws {
    let proxy = try ScriptedServer(answering: "HTTP/1.1 200 OK\r\n\r\n")
    defer { proxy.stop() }
    let said = try runTransportProbe(
      ["https://nobody.invalid/"],
      environment: ["https_proxy": proxy.url, "no_proxy": "other.example,.invalid"])
    #expect(said.first == "error unknownHost(\"nobody.invalid\")")
    #expect(proxy.connections == 0)
  }

  @Test func rfc8252_section8_3_requestsToThisMachineUseNoProxy() throws {
    let proxy = try ScriptedServer(answering: "HTTP/1.1 200 OK\r\n\r\n", closing: true)
    defer { proxy.stop() }
    let server = try ScriptedServer(answering: "HTTP/1.1 204 No Content\r\n\r\n")
    defer { server.stop() }
    let environment = Dictionary(
      uniqueKeysWithValues: ["http_proxy", "https_proxy", "all_proxy", "ALL_PROXY", "HTTPS_PROXY"]
        .map { ($0, proxy.url) })
    for host in ["127.0.0.1", "localhost"] {
      let said = try runTransportProbe(["http://\(host):\(server.port)/"], environment: environment)
      #expect(said.first == "status 204", "\(host)")
    }
    #expect(proxy.connections == 0)
  }

  @Test func httpToAnotherMachineIsRefusedBeforeAnythingIsSent() throws {
    let proxy = try ScriptedServer(answering: "HTTP/1.1 200 OK\r\n\r\n", closing: true)
    defer { proxy.stop() }
    for host in ["login.example", "192.0.2.1", "localhost.example", "127.0.0.1.example", "[::2]"] {
      let said = try runTransportProbe(
        ["http://\(host)/"], environment: ["http_proxy": proxy.url, "all_proxy": proxy.url])
      #expect(said.first?.hasPrefix("error notConfidential") == true, "\(host)")
      #expect(said.contains("without libcurl"))
    }
    #expect(proxy.connections == 0)
  }

  @Test func anUnreachableOrRefusingProxyIsReported() throws {
    let refusing = try ScriptedServer(
      answering:
        "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n",
      closing: true)
    defer { refusing.stop() }
    for proxy in [refusing.url, "http://127.0.0.1:1", "http://nobody.invalid:3128"] {
      let said = try runTransportProbe(
        ["https://\(Self.host)/"], environment: ["https_proxy": proxy])
      #expect(said.first == "error unreachableProxy", "\(proxy)")
    }
  }

  @Test func aProgramThatSendsNothingDoesNotLoadLibcurl() throws {
    #expect(try runTransportProbe([]).first == "without libcurl")
  }
}
