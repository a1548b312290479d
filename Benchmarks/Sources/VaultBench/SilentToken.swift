import Foundation
import TokenVault

/// Compares `acquireTokenSilent` on an open vault of 100 accounts with that of MSAL for Python, which
/// has the same accounts in memory.
enum SilentToken {
  private static let client = "11111111-2222-3333-4444-555555555555"

  static func run(
    directory: String, environment: [String: String], runs: Int
  ) async throws -> (ours: Sample, theirs: Double?) {
    let group: GroupName = "dev.tokenvault.shared"
    let configuration = try VaultConfiguration(group: group, environment: environment)
    let cache = cache(accounts: 100)
    let application = PublicClientApplication(
      ApplicationConfiguration(
        clientID: client, authority: try Authority("https://login.microsoftonline.com/common")),
      vault: configuration,
      platform: SignInPlatform(transport: Nobody(), receiver: Nobody(), browser: Nobody()))
    _ = try await application.vault.importCache(try MSALCache(json: cache))
    let account = try await application.vault.account(username: "user50@example.com")
    let request = SilentRequest(scopes: ScopeSet(["User.Read"]), account: account)
    var ours = Sample()
    for run in 0..<(runs * 20 + 50) {
      let start = now()
      let result = try await application.acquireTokenSilent(request)
      let end = now()
      guard result.isFromCache else { throw Command.Failed(arguments: ["silent"], status: -1) }
      if run >= 50 { ours.add(seconds: end - start) }
    }
    return (ours, try peer(cache, directory, environment, count: runs * 20))
  }

  /// The median of `silent_peer.py`, in seconds.
  private static func peer(
    _ cache: [UInt8], _ directory: String, _ environment: [String: String], count: Int
  ) throws -> Double? {
    guard let python = environment["TOKENVAULT_PYTHON"], let script = environment["BENCH_PEER"]
    else { return nil }
    let path = directory + "/silent.json"
    try Data(cache).write(to: URL(filePath: path))
    let process = Process()
    process.executableURL = URL(filePath: python)
    process.arguments = [script, path, client, "\(count)"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Double(
      String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
  }

  private static func cache(accounts: Int) -> [UInt8] {
    let seconds = Int(time(nil))
    let secret = String(repeating: "s", count: 2048)
    let tenant = "72f988bf-86f1-41af-91ab-2d7cd011db47"
    let host = "login.microsoftonline.com"
    func each(_ entity: (Int) -> String) -> String {
      (0..<accounts).map(entity).joined(separator: ",")
    }
    let text = """
      {"Account":{\(each { """
        "uid\($0).\(tenant)-\(host)-\(tenant)":{"home_account_id":"uid\($0).\(tenant)",\
        "environment":"\(host)","realm":"\(tenant)","local_account_id":"uid\($0)",\
        "username":"user\($0)@example.com","authority_type":"MSSTS"}
        """ })},
      "AccessToken":{\(each { """
        "uid\($0).\(tenant)-\(host)-accesstoken-\(client)-\(tenant)-user.read":\
        {"credential_type":"AccessToken","home_account_id":"uid\($0).\(tenant)",\
        "environment":"\(host)","client_id":"\(client)","realm":"\(tenant)","target":"User.Read",\
        "cached_at":"\(seconds)","expires_on":"\(seconds + 86400)",\
        "extended_expires_on":"\(seconds + 86400)","token_type":"Bearer","secret":"\(secret)"}
        """ })},
      "RefreshToken":{\(each { """
        "uid\($0).\(tenant)-\(host)-refreshtoken-\(client)--":{"credential_type":"RefreshToken",\
        "home_account_id":"uid\($0).\(tenant)","environment":"\(host)","client_id":"\(client)",\
        "secret":"\(secret)"}
        """ })}}
      """
    return Array(text.utf8)
  }

  /// Returning a stored token needs neither network nor browser, so all of them fail.
  private struct Nobody: HTTPTransport, RedirectReceiving, BrowserOpening {
    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
      throw .noLibrary
    }
    func listen(for uri: RedirectURI) throws(SignInError) -> any RedirectListener {
      throw .cancelled
    }
    func open(_ address: HTTPURL) -> Bool { false }
  }
}
