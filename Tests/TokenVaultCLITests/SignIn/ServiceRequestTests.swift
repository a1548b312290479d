import Foundation
import Testing
import TokenVaultTestSupport

/// `tokenvault request` with a stored secret, at a service that records what it gets.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ServiceRequestTests {
  /// Requires the scheme that is the first segment of the path; "silent" names none.
  private static let service = """
    import http.server, sys
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            given = self.headers.get("Authorization", "none")
            with open("log", "a") as log: log.write(self.path + " " + given + "\\n")
            word = self.path.split("/")[1]
            fits = word == "any" or given.lower().startswith(word + " ")
            self.send_response(302 if word == "away" else 200 if fits else 401)
            if word == "away": self.send_header("Location", self.headers["X-To"])
            if not fits and word in ("basic", "bearer", "digest"):
                self.send_header("WWW-Authenticate", word.capitalize() + ' realm="x"')
            self.send_header("Content-Length", str(len(given) + 1))
            self.end_headers()
            self.wfile.write((given + "\\n").encode())
        def log_message(self, *ignored): pass
    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    with open("port", "w") as port: port.write(str(server.server_port) + "\\n")
    server.serve_forever()
    """

  private let home: ShellHome

  init() throws {
    home = try CommandLineFixtures().home(SharedSecretService.get())
    try Data(Self.service.utf8).write(to: home.directory.appending(path: "service.py"))
  }

  /// Runs a script while the service is at `$U`.
  private func run(_ script: String) throws -> ShellHome.Run {
    // The pipe is readable as soon as the service listens.
    try home.run(
      "rm -f port log; touch log; mkfifo port; python3 service.py & P=$!; trap 'kill $P' EXIT; "
        + "read N <port; U=http://127.0.0.1:$N; \(script)")
  }

  private static let add = "tokenvault add --service $U --username ada >/dev/null 2>&1; "
  private static let request = "tokenvault request GET --service $U"

  /// RFC 7617: the user name and the password, separated by a colon, in Base64.
  private static let basic = "Basic YWRhOmZha2U="

  @Test func aServiceGetsTheFormThatItDemands() throws {
    let run = try run(
      "echo fake | \(Self.add)for form in basic bearer any; do \(Self.request) $U/$form; done; cat log"
    )
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.output == """
        \(Self.basic)
        Bearer fake
        \(Self.basic)
        /basic \(Self.basic)
        /bearer \(Self.basic)
        /bearer Bearer fake
        /any \(Self.basic)

        """)
  }

  @Test func aTokenOfAKnownFormIsSentAsBearer() throws {
    let run = try run(
      "echo glpat-fake | \(Self.add)\(Self.request) $U/silent; \(Self.request) $U/basic; cat log")
    // "silent" fits no scheme, and is asked once.
    #expect(
      run.output.contains("\n/silent Bearer glpat-fake\n/basic Bearer glpat-fake\n/basic Basic "))
    #expect(run.output.split(separator: "\n").count == 5)
  }

  @Test func theChosenFormIsTheOnlyOne() throws {
    let run = try run(
      """
      echo fake | tokenvault add --service $U --username ada --auth bearer >/dev/null 2>&1
      \(Self.request) $U/basic; echo $?; \(Self.request) $U/basic --auth basic; cat log
      """)
    #expect(
      run.output == """
        Bearer fake
        76
        \(Self.basic)
        /basic Bearer fake
        /basic \(Self.basic)

        """)
    let next =
      " Stored tokens are unchanged.\nnext: run the command again with --auth basic or --auth bearer\n"
      + "or store a new secret: "
    #expect(run.errors.contains(" answered 401.\(next)tokenvault add --service http://127.0.0.1:"))
  }

  @Test func anotherChallengeIsNotAnswered() throws {
    let run = try run("echo fake | \(Self.add)\(Self.request) $U/digest; echo $?; cat log")
    #expect(run.output == "\(Self.basic)\n76\n/digest \(Self.basic)\n")
  }

  /// The look-alikes lead to the same server, so that a request that is sent is recorded.
  @Test func anotherAddressGetsNothing() throws {
    let run = try run(
      """
      echo fake | tokenvault add --service $U/any/team --username ada >/dev/null 2>&1
      for url in http://localhost:$N/any/team http://127.0.0.2:$N/any/team \\
        http://127.0.0.1.:$N/any/team http://127.1:$N/any/team http://0x7f000001:$N/any/team \\
        $U/any/teams $U/any $U/any/TEAM $U//any/team $U/any/team/../x $U/any/team/%2e%2e/x \\
        $U/any/team/..%2fx "$U/any/team/..;/x" "$U/any/team/x%5c..%5c..%5cy" \\
        $U/any/team/%252e%252e/x http://ada@127.0.0.1:$N/any/team \\
        http://127.0.0.1:$N@localhost:$N/any/team "http://localhost:$N#@127.0.0.1:$N/any/team"; do
        tokenvault request GET --service $U/any/team "$url" >out 2>/dev/null; echo $? $(wc -c <out)
      done | sort | uniq -c | tr -s ' '
      wc -c <log; \(Self.request)/any/team "$U/any/team/x?q=.."
      """)
    // 64 for an address with user information, a fragment, or http beyond this machine.
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(lines.dropLast(2).allSatisfy { $0.hasSuffix(" 64 0") || $0.hasSuffix(" 77 0") })
    #expect(lines.suffix(2) == ["0", Self.basic], "\(run.output) \(run.errors)")
  }

  @Test func aRedirectGetsNothing() throws {
    let run = try run(
      "echo fake | \(Self.add)\(Self.request) $U/away --header \"X-To: $U/any/stolen\"; echo $?; cat log"
    )
    #expect(run.output == "76\n/away \(Self.basic)\n")
  }

  @Test func aSecretThatABearerHeaderCannotCarryIsNotSent() throws {
    let run = try run(
      "printf 'x\\r\\nHost: evil.example' | \(Self.add)\(Self.request) $U/any --auth bearer; echo $?; "
        + "\(Self.request) $U/bearer; cat log")
    #expect(run.output.hasPrefix("64\nBasic "))
    #expect(
      run.errors.contains("cannot be sent as Bearer: it has spaces or characters beyond ASCII."))
    #expect(
      !run.output.contains("evil") && run.output.components(separatedBy: "/bearer").count == 2)
  }

  @Test func aSecretAndAProviderHaveOptionsOfTheirOwn() throws {
    #expect(try home.run("tokenvault import one.json").status == 0)
    let run = try run(
      "echo fake | \(Self.add)\(Self.request) $U/any --pop; echo $?; "
        + "\(Self.request) $U/any --scope x; echo $?; tokenvault request GET $U/any --auth basic; "
        + "echo $?; cat log")
    #expect(run.output == "64\n64\n64\n")
    #expect(
      run.errors.contains("ada@contoso.example is not a stored secret, and --auth is for these"))
  }

  /// A group with an account in force does not hide that a secret is stored for the URL.
  @Test func aRequestWithoutAnAccountNamesTheSecret() throws {
    let run = try run("echo fake | \(Self.add)tokenvault request GET $U/any/x; echo $?; cat log")
    #expect(run.output == "4\n")
    #expect(run.errors.contains("\nnext: tokenvault request GET http://127.0.0.1:"))
    #expect(run.errors.contains("/any/x --service http://127.0.0.1:"))
  }
}
