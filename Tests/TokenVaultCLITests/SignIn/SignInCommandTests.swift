import Foundation
import Testing
import TokenVaultTestSupport

/// `tokenvault sign-in`, in a process of its own, against a provider on this machine.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct SignInCommandTests {
  @Test func theBrowserSignsInAndTheAccountIsTheCurrentOne() throws {
    let home = try SignInHome()
    let first = try home.signIn()
    #expect(first.status == 0)
    #expect(
      first.output
        == "signed in  ada@contoso.example  to com.microsoft.identity.universalstorage "
        + "(current account)\n")
    #expect(first.errors.contains("Waiting up to 60s for the sign-in in the browser."))
    #expect(first.errors.contains("Created the group com.microsoft.identity.universalstorage."))
    let second = try home.signIn("GRACE")
    #expect(second.status == 0)
    #expect(!second.errors.contains("Made the group"))
    #expect(try home.run("tokenvault current").output == "grace@contoso.example\n")
    #expect(try home.run("tokenvault list --json").output.contains("ada@contoso.example"))
  }

  @Test func aSecondSignInAsksForTheAccountPicker() throws {
    let home = try SignInHome()
    #expect(try home.signIn().status == 0)
    let second = try home.signIn("GRACE")
    #expect(second.output.hasPrefix("signed in  grace@contoso.example  to "))
    let same = try home.signIn()
    #expect(same.output.hasPrefix("signed in again  ada@contoso.example  to "))
    #expect(same.errors.contains("To sign in with another one, add --prompt login."))
    let known = try home.run("tokenvault sign-in ada@contoso.example --browser \"$ADA\" --json")
    #expect(known.output.contains("\"signedInAgain\":true"))
    #expect(!known.errors.contains("--prompt login"))
    #expect(try home.signIn("ADA", "--prompt if_necessary").status == 0)
    #expect(try home.signIn("ADA", "--prompt consent").status == 0)
    let opened = try home.run("cat browser.py.pages").output.split(separator: "\n")
    let prompts = opened.map { $0.firstMatch(of: /prompt=([a-z_]+)/).map { String($0.output.1) } }
    #expect(prompts == [nil, "select_account", "select_account", nil, nil, "consent"])
  }

  @Test func missingOptionsComeFromTheConfigurationFile() throws {
    let home = try SignInHome()
    let bare = try home.run("tokenvault sign-in")
    #expect(bare.status == 64)
    #expect(bare.errors.contains("No provider is given, and "))
    #expect(bare.errors.contains("\nother providers: github, gitlab,"))
    let half = try home.run("tokenvault login --client-id $C")
    #expect(half.errors.contains(#""signIn": {"clientId""#))
    #expect(half.status == 64)
    #expect(
      half.errors.contains("No authority is given: pass --authority, or set signIn.authority in "))
    let written = try home.run(
      """
      mkdir -p .config/tokenvault && cat >.config/tokenvault/config.json <<END
      {"signIn": {"clientId": "$C", "authority": "$A", "scopes": ["User.Read"],
        "redirectUri": "http://127.0.0.1/callback"}}
      END
      tokenvault login --browser "$ADA" --json
      """)
    #expect(written.status == 0)
    let object = try JSONSerialization.jsonObject(with: Data(written.output.utf8))
    let account = try #require(object as? [String: Any])
    #expect(account["username"] as? String == "ada@contoso.example")
    #expect(account["current"] as? Bool == true)
    #expect(account["clientIds"] as? [String] == [ProviderProcess.client])
    #expect(try home.run("cat browser.py.pages").output.contains("%2Fcallback&"))
    let bad = try home.run(
      #"echo '{"signIn": {"clientID": "x"}}' >.config/tokenvault/config.json; tokenvault login"#)
    #expect(bad.status == 78)
    #expect(bad.errors.contains("signIn.clientID"))
    let text = try home.run(
      #"echo '{"signIn": {"scopes": "x"}}' >.config/tokenvault/config.json; tokenvault login"#)
    #expect(
      text.errors.contains(#""signIn.scopes" must be an array of strings."#), "\(text.errors)")
  }

  @Test func aKnownAccountSignsInAgainWithItsStoredParameters() throws {
    let home = try SignInHome()
    #expect(try home.signIn().status == 0)
    let again = try home.run("tokenvault sign-in ada@contoso.example --browser \"$ADA\"")
    #expect(again.status == 0, "\(again.errors)")
    #expect(try home.provider.counter("codeRedemptions") == 2)
    let unknown = try home.run("tokenvault sign-in --account nobody --browser \"$GRACE\"")
    #expect(unknown.status == 66)
    // Another user cannot sign in under ada's name.
    let other = try home.run(
      "tokenvault sign-in --account ada --browser \"$GRACE\" --prompt login")
    #expect(other.status == 76)
    let wrong = try home.run(
      "tokenvault sign-in --account ada@contoso.example --browser \"$GRACE\" --prompt login")
    #expect(wrong.status == 76)
    #expect(wrong.errors.contains("A different user signed in"))
    #expect(try home.run("tokenvault list").output.contains("grace") == false)
  }

  @Test(
    .parity(
      "PublicClientApplication.initiate_device_flow",
      "PublicClientApplication.acquire_token_by_device_flow",
      "public.Client.AcquireTokenByDeviceCode"))
  func aCodeSignsInOnAnotherDevice() throws {
    let home = try SignInHome(#"{"deviceInterval": 1}"#)
    let command = "tokenvault sign-in --client-id $C --authority $A --device-code"
    let run = try home.run(command) {
      try home.provider.answerDevice(try home.userCode(), as: "grace@contoso.example")
    }
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.hasPrefix("signed in  grace@contoso.example  to "))
    #expect(run.errors.contains("\(home.provider.url)/devicelogin"))
    #expect(run.errors.contains("Waiting up to 15 min. Ctrl-C cancels."))
    // Without a terminal there is only text.
    #expect(!run.errors.contains("█") && !run.errors.contains("libqrencode"))
    let denied = try home.run(command) {
      try home.provider.answerDevice(try home.userCode(), as: nil)
    }
    #expect(denied.status == 76)
    #expect(denied.errors.contains("declined at the provider; nothing was stored"))
  }

  @Test func aTerminalShowsTheCodeAsAQRCode() throws {
    let home = try SignInHome()
    let terminal = try TmuxTerminal(
      // The terminal's shell gets the signal too, and must not exit.
      "trap : INT; tokenvault sign-in --client-id \(ProviderProcess.client) "
        + "--authority \(home.provider.url)/common/v2.0 --device-code", in: home.home, columns: 100,
      rows: 50)
    let screen = try terminal.wait(for: "Ctrl-C cancels")
    #expect(screen.contains("█") && screen.contains("▄"))
    try terminal.press("C-c")
    try terminal.wait(for: "ended with 130")
  }

  @Test(arguments: ["INT", "TERM"])
  func aCancelledSignInLeavesNothing(signal: String) throws {
    let home = try SignInHome()
    let run = try home.run(
      """
      env --default-signal=INT tokenvault sign-in --client-id $C --authority $A 2>said &
      until grep -q Waiting said; do sleep 0.05; done
      kill -\(signal) $!; wait $!
      """)
    #expect(run.status == 130)
    #expect(run.output.isEmpty)
    #expect(run.changes.map { URL(filePath: $0).lastPathComponent } == ["said"])
    let said = try home.run("cat said").output
    #expect(
      said.hasSuffix(
        "tokenvault: Cancelled; nothing was stored.\nnext: run the command again\n"))
    // Nothing listens on the redirect URI any more.
    let port = try #require(said.firstMatch(of: /localhost%3A(\d+)/)).output.1
    #expect(throws: RawHTTP.Failure.self) {
      try RawHTTP.send("GET", "http://127.0.0.1:\(port)/?code=x&state=y")
    }
  }

  @Test func theBrowserGetsNeitherThePassphraseNorAConnection() throws {
    let home = try SignInHome()
    let group = "com.example.pass"
    let made = try home.run(
      """
      echo open sesame >phrase
      tokenvault group create \(group) --custody passphrase --passphrase-fd 0 <phrase
      cat >descriptors <<'END'
      #!/bin/sh
      for one in /proc/$$/fd/*; do readlink "$one"; done >"$HOME/inherited"
      exec "$HOME/browser" "$@"
      END
      chmod 700 descriptors
      """)
    #expect(made.status == 0, "\(made.errors)")
    let run = try home.run(
      "tokenvault sign-in --group \(group) --client-id $C --authority $A --timeout 60s "
        + "--passphrase-fd 7 --browser \"$HOME/descriptors ada@contoso.example\" 7<phrase")
    #expect(run.status == 0, "\(run.errors)")
    let inherited = try home.run("cat inherited").output.split(separator: "\n")
    #expect(inherited.contains("/dev/null"))
    for target in inherited {
      let isOwn = ["/dev/null"].contains(target) || target.hasSuffix("/descriptors")
      #expect(isOwn || target.hasSuffix("/inherited"), "\(target)")
    }
  }

  @Test func withoutABrowserThePageIsShownAndTheWaitIsLimited() throws {
    let home = try SignInHome()
    let run = try home.run(
      "tokenvault sign-in --client-id $C --authority $A --timeout 1s --browser ''")
    #expect(run.status == 4)
    #expect(run.errors.contains("  \(home.provider.url)/common/oauth2/v2.0/authorize?"))
    #expect(run.errors.contains("Waiting up to 1s."))
    #expect(run.errors.contains("The sign-in was not finished within 1 s; nothing was stored."))
    #expect(run.changes.isEmpty)
  }

  @Test(arguments: [
    ("--authority $A --device-code --prompt login", 64, "cannot be combined"),
    ("--authority $A --claims '[]'", 64, "is not a claims request"),
    ("--authority $A --prompt sometimes", 64, "prompt"),
    ("--authority $A --timeout 0", 64, "is not a valid duration"),
    (
      "--authority http://login.example/common/v2.0", 64,
      "http://login.example/common/v2.0 is not https. Nothing was stored.\nnext: run the command "
        + "again with --authority https://login.example/common/v2.0\n"
    ),
    ("--authority $A --redirect-uri https://example.com/", 64, "The redirect URI is neither"),
    (
      "--authority http://127.0.0.1:9/common/v2.0", 69,
      "Cannot connect to 127.0.0.1:9 (connection refused)."
    ),
    ("--authority https://login.microsoftonline.com/common", 69, "proxy"),
    (
      "--authority $U/nowhere", 76,
      "/nowhere/.well-known/openid-configuration answered 404: the authority is probably misspelt. "
        + "Nothing was stored.\nnext: run the command again with another --authority\n"
    ),
    (
      "--authority $A --group no.such.group", 78,
      "There is no group no.such.group. Nothing was changed.\n"
        + "next: tokenvault group create no.such.group\n"
    ),
    (
      "--authority $A --group dev.tokenvault.shard", 78,
      "There is no group dev.tokenvault.shard. Did you mean dev.tokenvault.shared? Nothing was "
        + "changed.\nnext: tokenvault group list\n"
    ),
  ])
  func aSignInThatCannotStartSaysWhy(options: String, status: Int32, words: String) throws {
    let home = try SignInHome()
    let run = try home.run("tokenvault sign-in --client-id $C \(options) --browser ''")
    #expect(run.status == status)
    #expect(run.errors.contains(words), "\(run.errors)")
    #expect(run.changes.isEmpty)
  }

  @Test(arguments: [
    ("wrongNonce", "nonce does not match", ""),
    ("expired", "it has expired", " Check this machine's clock."),
    ("issuedInFuture", "it was issued in the future", " Check this machine's clock."),
  ])
  func aRefusedIDTokenSaysWhy(fault: String, reason: String, hint: String) throws {
    let home = try SignInHome()
    try home.provider.fault(#"{"endpoint": "token", "idToken": "\#(fault)"}"#)
    let run = try home.signIn()
    #expect(run.status == 76)
    #expect(
      run.errors.hasSuffix(
        "The provider's ID token is not valid (\(reason)); nothing was stored.\(hint)\n"
          + "next: run the command again\n"), "\(run.errors)")
  }

  @Test func anAdministratorConsentsInTheBrowser() throws {
    let home = try SignInHome(#"{"adminScopes": ["Mail.Read"]}"#)
    let tenant = "--authority $U/contoso.example/v2.0 --scope Mail.Read"
    let refused = try home.signIn("ADA", tenant)
    #expect(refused.status == 76)
    #expect(refused.errors.contains("An administrator of the organization has to consent"))
    #expect(refused.errors.contains("AADSTS90094"))
    #expect(
      refused.errors.contains(
        "  \(home.provider.url)/contoso.example/v2.0/adminconsent?client_id=\(ProviderProcess.client)"
      ))
    #expect(try home.run("tokenvault list --json").output == "[]\n")
    let next = try #require(refused.errors.firstMatch(of: /\nnext: (tokenvault sign-in .*)\n/))
      .output.1
    #expect(
      next
        == "tokenvault sign-in --admin-consent --client-id \(ProviderProcess.client) --authority "
        + "\(home.provider.url)/contoso.example/v2.0 --scope Mail.Read")
    let given = try home.run("\(next) --browser \"$ADA\"")
    #expect(given.status == 0, "\(given.errors)")
    #expect(
      given.output
        == "consent given  \(ProviderProcess.client)  for the tenant "
        + "c0000000-0000-4000-8000-00000000c001\n")
    #expect(try home.run("tokenvault list --json").output == "[]\n")
    #expect(try home.signIn("ADA", tenant).status == 0)
    let json = try home.json(
      "tokenvault sign-in ada@contoso.example --admin-consent --browser \"$ADA\" --json")
    #expect(json["clientId"] as? String == ProviderProcess.client)
    #expect(json["tenantId"] as? String == "c0000000-0000-4000-8000-00000000c001")
    let usage = try home.run("tokenvault sign-in --admin-consent --device-code")
    #expect(usage.status == 64)
    #expect(usage.errors.contains("--admin-consent and --device-code cannot be combined."))
  }

  /// A browser of Windows or behind a port forwarder connects as another user.
  @Test func aRefusedBrowserIsReportedAtOnce() throws {
    guard OtherUser.canAct else { return }
    let home = try SignInHome()
    let run = try home.run(
      "tokenvault sign-in --client-id $C --authority $A --timeout 5s --browser "
        + "'setpriv --reuid 65534 --regid 65534 --clear-groups -- curl -s'")
    #expect(run.status == 4)
    let lines = run.errors.split(separator: "\n")
    #expect(
      lines.count { $0.contains("press Ctrl-C and run: tokenvault sign-in --device-code") } == 1)
    #expect(lines.last == "next: tokenvault sign-in --device-code")
  }

  @Test func aSharedDeviceAcceptsOneAccount() throws {
    let home = try SignInHome()
    #expect(
      try home.run(
        "tokenvault group create org.example.shared --device-mode shared"
      ).status
        == 0)
    #expect(try home.signIn("ADA", "--group org.example.shared").status == 0)
    let second = try home.signIn("GRACE", "--group org.example.shared")
    #expect(second.status == 77)
    #expect(second.errors.contains("This device is shared"))
    #expect(
      try home.run("tokenvault list --group org.example.shared --json | grep -c grace").output
        == "0\n")
    #expect(
      try home.run("tokenvault device --group org.example.shared").output
        .hasPrefix("shared, set by "))
  }
}
