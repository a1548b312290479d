import Foundation
import Testing
import TokenVaultTestSupport

/// `forecast`, its notification and `open`, with a real notification daemon.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct ForecastTests {
  /// Dunst prints each notification that it shows.
  private static let dunst = """
    dunst -print -config /dev/null >notifications 2>&1 & trap "kill $! $X" EXIT
    until dbus-send --print-reply --dest=org.freedesktop.DBus / \\
      org.freedesktop.DBus.GetNameOwner string:org.freedesktop.Notifications >/dev/null 2>&1
    do kill -0 $! || exit 9; sleep 0.02; done

    """

  @Test func aNotificationNamesTheAccountsAndNoSecret() throws {
    let service = try PrivateSecretService()
    defer { withExtendedLifetime(service) {} }
    let home = try CommandLineFixtures().home(service)
    let display = ClipboardTests.xvfb.replacing("trap \"kill $!\" EXIT", with: "X=$!")
    let run = try home.run(
      display + Self.dunst
        + """
        echo hunter2 | tokenvault add --service git.example --username 'e<b>ve&' --expires 2d -q >/dev/null
        tokenvault forecast --all-groups --within 1d --notify; echo $?
        tokenvault forecast --all-groups --within 3d --notify --no-header | cut -c 1-7
        for i in $(seq 1000); do if grep -q body: notifications; then break; fi; sleep 0.02; done
        grep -c summary: notifications
        grep -E 'appname|summary|body' notifications
        """)
    #expect(
      run.output.hasPrefix("0\ne<b>ve&\n1\n") && run.output.contains("e<b>ve& needs you soon")
        && run.output.contains(/e&lt;b&gt;ve&amp;: in (4[5-8] h|2 days), the stored secret expires/),
      "\(run.output)\(run.errors)")
    #expect(!run.output.contains("hunter2"))
  }

  @Test func withoutADaemonTheForecastIsPrintedAndTheFailureSaid() throws {
    let home = try CommandLineFixtures().home(SharedSecretService.get())
    let run = try home.run(
      """
      echo hunter2 | tokenvault add --service git.example --username eve --expires 2d -q >/dev/null
      tokenvault forecast -g dev.tokenvault.shared --notify --no-header | cut -c 1-3
      tokenvault forecast -g dev.tokenvault.shared --notify >/dev/null; echo $?
      """)
    #expect(run.output == "eve\n69\n")
    #expect(
      run.errors.contains(
        "The notification was not shown: no notification daemon is running. Nothing was "
          + "changed.\nnext: run the command again without --notify\n"))
  }

  /// A group that cannot be read does not hide the failure of the notification, nor the reverse.
  @Test func everyFailureIsSaid() throws {
    let home = try CommandLineFixtures().home(SharedSecretService.get())
    let run = try home.run(
      """
      echo open sesame | tokenvault group create com.example.pass --custody passphrase \
        --passphrase-fd 0 -q >/dev/null
      echo hunter2 | tokenvault add --service git.example --username eve --expires 2d -q >/dev/null
      tokenvault forecast --all-groups --notify --no-header | cut -c 1-3
      """)
    #expect(run.output == "eve\n")
    #expect(run.errors.contains("The group com.example.pass needs its passphrase"), "\(run)")
    #expect(run.errors.contains("The notification was not shown"), "\(run)")
  }

  /// A client that was tried once says nothing about the one that is used every day.
  @Test func aClientThatIsNoLongerUsedDoesNotHideTheOthers() throws {
    let home = try CommandLineFixtures().home(SharedSecretService.get())
    let run = try home.run(
      """
      python3 - <<'END'
      import json, time
      cache = json.load(open("one.json"))
      old = dict(cache["RefreshToken"]["ada"], client_id="c2", family_id="", secret="rt-old")
      old["last_modification_time"] = str(int(time.time()) - 91 * 86400)
      cache["RefreshToken"]["old"] = old
      json.dump(cache, open("both.json", "w"))
      del cache["RefreshToken"]["ada"], cache["AccessToken"]
      json.dump(cache, open("old.json", "w"))
      END
      tokenvault import both.json -q >/dev/null; tokenvault forecast --no-header; echo $?
      G="--group com.example.old"; tokenvault group create com.example.old -q >/dev/null 2>&1
      tokenvault import old.json $G -q >/dev/null; tokenvault forecast $G --no-header; echo $?
      """)
    let account = "ada@contoso.example  login.microsoftonline.com  "
    #expect(
      run.output == """
        \(account)in 89 days  unless it is used before
        0
        \(account)now        unused for too long; it may have ended
        4

        """, "\(run.errors)")
    #expect(
      run.errors.hasSuffix(
        "tokenvault: ada@contoso.example may need a sign-in now.\n"
          + "next: tokenvault sign-in ada@contoso.example --group com.example.old\n"),
      "\(run.errors)")
  }

  @Test func theEndThatAProviderNamesIsKept() throws {
    let home = try SignInHome(#"{"refreshTokenLifetime": 100000}"#)
    let policy = "$U/tfp/fabrikamb2c.example/b2c_1_signin"
    let signIn = try home.run(
      "tokenvault sign-in --client-id $C --authority \(policy) --timeout 60s --browser "
        + "\"'\(home.home.directory.path)/browser' rosalind@customers.example\" "
        + "--scope https://fabrikamb2c.example/api/demo.read")
    #expect(signIn.status == 0, "\(signIn.errors)")
    let run = try home.run("tokenvault forecast --no-header")
    #expect(run.status == 4)
    #expect(run.output.contains("in 27 h    the refresh token expires"), "\(run.output)")
  }

  @Test func afterARefusedRefreshNothingRenewsTheToken() throws {
    let home = try SignInHome()
    #expect(try home.signIn().status == 0)
    let before = try home.run("tokenvault forecast --no-header")
    #expect(before.status == 0 && before.output.contains("unless it is used before"), "\(before)")
    try home.provider.control("revoke-user?username=ada@contoso.example")
    #expect(try home.run("tokenvault token --scope User.Read --force-refresh").status == 4)
    let run = try home.run("tokenvault forecast --no-header")
    #expect(run.status == 4)
    #expect(run.output.contains("nothing is stored that renews the token"), "\(run.output)")
  }

  @Test func thePageOfTheProviderIsOpenedWithoutAToken() throws {
    let home = try SignInHome(#"{"accountPage": "https://id.example.com/account?a=1"}"#)
    let plain = "$U/oidc/one"
    let signIn = try home.run(
      "tokenvault sign-in oidc \(plain) --client-id $C --timeout 60s --browser \"$ADA\"")
    #expect(signIn.status == 0, "\(signIn.errors)")
    #expect(
      try home.run("tokenvault open --print").output == "https://id.example.com/account?a=1\n")
    let opened = try home.run(
      """
      printf '#!/bin/sh\necho "$#" "$1" >opened' >show; chmod +x show
      tokenvault open --browser ./show; cat opened
      """)
    #expect(opened.output == "1 https://id.example.com/account?a=1\n", "\(opened)")
    #expect(opened.errors.contains("Opened https://id.example.com/account?a=1"))
    let none = try home.run("tokenvault open")
    #expect(none.status == 69 && none.errors.contains("No browser could be started."), "\(none)")
  }
}
