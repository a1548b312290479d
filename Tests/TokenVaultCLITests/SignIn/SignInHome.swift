import Foundation
import Synchronization
import TokenVaultTestSupport

/// A home with its own identity provider and a script instead of a browser.
///
/// Commands find the provider in `$U`, its authority in `$A`, a client in `$C` and the browser of
/// ada, grace and linus in `$ADA`, `$GRACE` and `$LINUS`.
final class SignInHome {
  let home: ShellHome
  let provider: ProviderProcess
  private let variables: String

  init(_ configuration: String? = nil) throws {
    provider = try ProviderProcess(configuration)
    let program = try BuiltProduct("tokenvault").url
    home = try ShellHome(
      SharedSecretService.get(), programs: program.deletingLastPathComponent())
    for (name, text) in [("browser", Self.browser), ("browser.py", Self.pages)] {
      let file = home.directory.appending(path: name)
      try Data(text.utf8).write(to: file)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o700], ofItemAtPath: file.path)
    }
    let directory = home.directory.path
    let people = ["ada@contoso", "grace@contoso", "linus@fabrikam"].map { person in
      let name = person.prefix { $0 != "@" }.uppercased()
      return "\(name)='\(directory)/browser \(person).example'"
    }
    variables =
      "export U=\(provider.url) A=\(provider.url)/common/v2.0 C=\(ProviderProcess.client) "
      + people.joined(separator: " ") + "; "
  }

  func run(_ command: String) throws -> ShellHome.Run { try home.run(variables + command) }

  /// Signs a person in through the browser.
  @discardableResult
  func signIn(_ person: String = "ADA", _ options: String = "--scope User.Read") throws
    -> ShellHome.Run
  {
    try run(
      "tokenvault sign-in --client-id $C --authority $A --timeout 60s \(options) --browser \"$\(person)\""
    )
  }

  /// Runs a command and, at the same time, `body`; returns when both have ended.
  func run(_ command: String, meanwhile body: () throws -> Void) throws -> ShellHome.Run {
    let ended = Mutex<Result<ShellHome.Run, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    let line = variables + command
    Thread { [home] in
      let result = Result { try home.run(line) }
      ended.withLock { $0 = result }
      done.signal()
    }.start()
    let failure = Result { try body() }
    done.wait()
    try failure.get()
    guard let result = ended.withLock({ $0 }) else { throw CancellationError() }
    return try result.get()
  }

  /// The user code of a waiting device sign-in.
  func userCode() throws -> String {
    while true {
      let text = try provider.report("devices").text
      if let match = text.firstMatch(of: /"([^"]+)"/) { return String(match.output.1) }
      usleep(20_000)
    }
  }

  func json(_ command: String) throws -> [String: Any] {
    let answer = try run(command)
    guard answer.status == 0 else { throw Unexpected(run: answer) }
    return try JSONSerialization.jsonObject(with: Data(answer.output.utf8)) as? [String: Any]
      ?? [:]
  }

  struct Unexpected: Error { let run: ShellHome.Run }

  /// Detached, like a browser: it waits for the page that the command shows at the end.
  private static let browser = """
    #!/bin/sh
    echo "$2" >>"$0.opened"
    setsid -f python3 "$0.py" "$@" >>"$0.log" 2>&1
    """

  /// Follows the provider's pages like a person: picks the account and accepts the consent.
  private static let pages = """
    import http.cookiejar, re, subprocess, sys, urllib.parse, urllib.request

    user, address = sys.argv[1:3]

    class Pages(urllib.request.HTTPRedirectHandler):
        def http_error_302(self, request, file, code, message, headers):
            url = headers["Location"]
            if not url.startswith("http"):
                # As the desktop does.
                subprocess.run(["xdg-open", url], check=True)
                raise SystemExit
            return super().http_error_302(request, file, code, message, headers)
        http_error_303 = http_error_302

    browser = urllib.request.build_opener(
        urllib.request.ProxyHandler({}),
        urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()), Pages)
    page = browser.open(address)
    with open(sys.argv[0] + ".pages", "a") as pages:
        print(page.url, file=pages)
    for _ in range(5):
        text = page.read().decode()
        flow = re.search('name="flow" value="([^"]+)"', text)
        if not flow:
            break
        answer = {"action": "accept"} if 'id="accept"' in text else {"account": user}
        form = urllib.parse.urlencode({"flow": flow.group(1), **answer}).encode()
        page = browser.open(urllib.parse.urljoin(page.url, "/interaction"), form)
    """
}
