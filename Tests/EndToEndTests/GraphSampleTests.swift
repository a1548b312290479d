import Foundation
import Testing
import TokenVaultTestSupport

/// Examples/GraphSample as a member of its own group, with ``ProviderProcess`` in place of
/// Microsoft's provider, and a user with a browser.
@Suite(.timeLimit(.minutes(10))) struct GraphSampleTests {
  private static let ada = "ada@contoso.example"
  private static let grace = "grace@contoso.example"

  @Test(
    .parity(
      "signoutWithAccount:signoutParameters:completionBlock:",
      "getDeviceInformationWithParameters:completionBlock:", "MSALCacheConfig.keychainSharingGroup",
      "MSALSignoutParameters.signoutFromBrowser", "MSALInternalErrorAmbiguousAccount -42102"))
  func theSampleSignsInGetsTokensSilentlyCallsGraphAndSignsOut() throws {
    let sample = try Sample(authority: "common/v2.0")
    let refused = try sample.run("accounts")
    #expect(refused.status == 77)
    #expect(refused.errors.contains("tokenvault group members \(Sample.group) --add"))
    try sample.join()
    #expect(try sample.run("token").status == 4)

    #expect(try sample.signIn(Self.ada).output.contains("a token from 127.0.0.1"))
    #expect(try sample.run("current").output == "\(Self.ada), not the one before\n")
    #expect(try sample.run("current").output == "\(Self.ada)\n")
    #expect(try sample.run("token").output.contains("a token from the group"))
    #expect(try sample.run("me").output.contains(Self.ada))
    #expect(try sample.run("claims").output.contains(#""preferred_username":"\#(Self.ada)""#))
    #expect(try sample.run("mode").output == "private\n")

    try sample.signIn(Self.grace)
    #expect(try sample.run("accounts").output.contains("  \(Self.grace)  signed in"))
    let ambiguous = try sample.run("current")
    #expect(ambiguous.status == 64)
    #expect(ambiguous.errors.contains(Self.ada) && ambiguous.errors.contains(Self.grace))
    try sample.machine.succeed("--group", Sample.group, "switch", Self.grace)
    #expect(try sample.run("current").output == "\(Self.grace), not the one before\n")

    let out = try sample.run("sign-out", "--browser", Self.ada)
    #expect(out.output.contains("clean group file") && !out.output.contains("LEFT"))
    #expect(out.errors.contains("/oauth2/v2.0/logout"))
    // The sample was her account's only client.
    #expect(try !sample.run("accounts").output.contains(Self.ada))
    #expect(try sample.run("token").output.hasPrefix(Self.grace))
    try sample.run("sign-out", "--wipe")
    #expect(try sample.run("accounts").output.isEmpty)
    #expect(try sample.run("token").status == 4)
    // An account that signs in alone, after all others have left, needs no choice.
    #expect(try sample.signIn(Self.ada).output.contains("a token from 127.0.0.1"))
    #expect(try sample.run("token").output.hasPrefix(Self.ada))
  }

  @Test(.parity("MSALErrorInteractionRequired -50002"))
  func theSampleSignsInAgainIfTheProviderRequiresTheUser() throws {
    let sample = try Sample(authority: "common/v2.0")
    try sample.join()
    try sample.provider.change(#"{"accessTokenLifetime": 100}"#)
    try sample.signIn(Self.ada)
    #expect(try sample.run("token").output.contains("from 127.0.0.1"))
    #expect(try sample.provider.counter("refreshes") == 1)
    try sample.provider.control("revoke-user?username=\(Self.ada)")
    #expect(try sample.interactively("token", as: Self.ada).output.contains("from 127.0.0.1"))

    try sample.provider.change(
      #"{"accessTokenLifetime": 3600, "claimsChallenge": true, "refreshMeetsClaims": false}"#)
    #expect(try sample.interactively("me", as: Self.ada).output.contains(Self.ada))
    #expect(try sample.provider.counter("claimsChallenges") == 1)
    #expect(try sample.run("me").output.contains(Self.ada))
  }

  @Test(.parity("MSALWebviewTypeDefault"))
  func aDeviceCodeSignsInWithoutABrowser() throws {
    let sample = try Sample(authority: "common/v2.0")
    try sample.join()
    let running = try sample.start("device")
    let code = try sample.word(after: "enter ", in: running)
    try sample.provider.answerDevice(code, as: Self.ada)
    let ran = try running.wait()
    #expect(ran.output.hasPrefix(Self.ada), "\(ran.errors)")
  }

  @Test(.parity("MSALErrorServerInvalidRequestResetPasswordRequired -50142"))
  func aForgottenPasswordStartsTheResetPolicy() throws {
    let sample = try Sample(
      authority: "tfp/fabrikamb2c.example/b2c_1_signin/v2.0",
      passwordReset: "tfp/fabrikamb2c.example/b2c_1_reset/v2.0")
    try sample.join()
    let running = try sample.start("sign-in")
    let first = try sample.word(after: "Open this page: ", in: running)
    let page = try sample.browser.answer(try sample.browser.open(first), ["action": "forgot"])
    try sample.browser.deliver(try #require(page.headers["location"]))
    let second = try sample.word(after: "Open this page: ", in: running, occurrence: 2)
    #expect(second.contains("b2c_1_reset"))
    try sample.browser.deliver(
      try sample.browser.signIn(at: second, as: "rosalind@customers.example"))
    let ran = try running.wait()
    #expect(ran.status == 0 && ran.output.contains("a token"), "\(ran.errors)")
  }

  @Test(.parity("getCurrentAccountWithParameters:completionBlock:"))
  func theSampleSeesChangesByOtherTools() throws {
    let sample = try Sample(authority: "common/v2.0")
    try sample.join()
    try sample.signIn(Self.ada)
    let running = try sample.start("watch")
    defer { running.signal(SIGKILL) }
    try sample.wait(for: running) { $0.output.contains("\(Self.ada), not the one before\n") }
    try sample.machine.succeed("--group", Sample.group, "sign-out", "--no-revoke", Self.ada)
    try sample.wait(for: running) { $0.output.contains("nobody, not the one before\n") }
  }
}

/// The sample with its settings, and the provider and browser that it uses.
private final class Sample {
  static let group = "com.example.graph-sample"
  let machine: Machine
  let provider: ProviderProcess
  let browser: HandBrowser
  private let program: String
  private let settings: String

  init(authority: String, passwordReset: String? = nil) throws {
    machine = try Machine()
    let provider = try ProviderProcess(#"{"deviceInterval": 1}"#)
    self.provider = provider
    browser = HandBrowser(provider.url)
    program = try built("graph-sample")
    let reset = passwordReset.map { #""\#(provider.url)/\#($0)""# } ?? "null"
    settings = try machine.write(
      """
      {"clientID": "\(ProviderProcess.client)", "authority": "\(provider.url)/\(authority)",
        "redirectURI": "http://127.0.0.1/", "scopes": ["User.Read"], "group": "\(Self.group)",
        "graph": "\(provider.url)", "passwordReset": \(reset)}
      """, to: "settings.json")
    try machine.succeed("group", "create", Self.group)
  }

  /// Adds the sample to its group.
  func join() throws { try machine.succeed("group", "members", Self.group, "--add", program) }

  func start(_ arguments: String...) throws -> Machine.Running { try start(arguments) }

  private func start(_ arguments: [String]) throws -> Machine.Running {
    try machine.start([program, settings] + arguments)
  }

  @discardableResult func run(_ arguments: String...) throws -> RunResult {
    try start(arguments).wait()
  }

  /// Runs a command that opens the browser.
  @discardableResult func interactively(_ command: String, as name: String) throws -> RunResult {
    let running = try start([command])
    let page = try word(after: "Open this page: ", in: running)
    try browser.deliver(try browser.signIn(at: page, as: name))
    let ran = try running.wait()
    try #require(ran.status == 0, "\(ran.errors)")
    return ran
  }

  @discardableResult func signIn(_ name: String) throws -> RunResult {
    try interactively("sign-in", as: name)
  }

  /// The output of a running program so far.
  struct PartialOutput {
    let output: String
    let errors: String
  }

  func wait(for running: Machine.Running, until isDone: (PartialOutput) -> Bool) throws {
    while true {
      // Checked before the output is read, so that the last lines are not missed.
      let isRunning = running.isRunning
      let said = PartialOutput(
        output: try String(contentsOf: running.output, encoding: .utf8),
        errors: try String(contentsOf: running.errors, encoding: .utf8))
      if isDone(said) { return }
      try #require(isRunning, "ended without the expected output: \(said)")
      usleep(20_000)
    }
  }

  func word(
    after mark: String, in running: Machine.Running, occurrence: Int = 1
  ) throws -> String {
    var found = ""
    try wait(for: running) { said in
      let lines = said.errors.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      let parts = lines.compactMap { $0.components(separatedBy: mark).dropFirst().first }
      guard parts.count >= occurrence else { return false }
      found = parts[occurrence - 1]
      return true
    }
    return found
  }
}
