import Foundation
import Testing
import TokenVaultTestSupport

/// `mail-auth` with real mail clients and a real dovecot, which asks the identity provider whether a
/// token is valid, and whose it is.
@Suite(.timeLimit(.minutes(5)))
struct MailHelperTests {
  private let mail: MailHome

  init() throws { mail = try MailHome() }

  @Test func twoAccountsSendAndFetchSideBySide() throws {
    try mail.signIn("ADA")
    try mail.signIn("GRACE")
    let run = try mail.run(
      """
      send ada grace one && send grace ada two && fetch ada grace || cat mbsync.log log >&2
      subjects ada; echo -; subjects grace
      """)
    #expect(run.output == "two\n-\none\n", "\(run.errors)")
  }

  @Test(arguments: ["neomutt", "mutt"])
  func muttSendsAndReads(program: String) throws {
    try mail.signIn()
    let run = try mail.run(
      """
      echo hello | \(program) -n -F muttrc-ada -s one ada@contoso.example >/dev/null
      timeout 60 script -qec "\(program) -n -F muttrc-ada -e 'push <pipe-message>cat<space>>got<enter><exit>'" \
        /dev/null </dev/null >screen 2>&1
      grep ^Subject: got || cat screen log >&2
      """)
    #expect(run.output == "Subject: one\n", "\(run.errors)")
  }

  /// Debian's git has no mechanism for tokens of its own, and sends by msmtp.
  @Test func gitSendsAPatch() throws {
    try mail.signIn()
    let run = try mail.run(
      """
      git init -q -b main code && cd code && git config user.name ada &&
      git config user.email ada@contoso.example &&
      git config sendemail.sendmailCmd "msmtp -C $HOME/msmtprc -a ada" &&
      git commit -q --allow-empty -m start && echo 1 >file && git add file && git commit -q -m change
      cp ../cert.pem . && git send-email --quiet --to ada@contoso.example HEAD~1 >&2
      cd .. && fetch ada; subjects ada
      """)
    #expect(run.output == "[PATCH] change\n", "\(run.errors)")
  }

  @Test(arguments: ["XOAUTH2", "OAUTHBEARER"])
  func theServerAcceptsTheResponse(mechanism: String) throws {
    try mail.signIn()
    let run = try mail.run(
      """
      tokenvault mail-auth --mechanism \(mechanism) --user ada@contoso.example >response
      python3 -B - $I <<'END'
      import base64, imaplib, ssl, sys
      context = ssl.create_default_context(cafile="cert.pem")
      server = imaplib.IMAP4_SSL("localhost", int(sys.argv[1]), ssl_context=context)
      print(server.authenticate("\(mechanism)", lambda _: base64.b64decode(open("response").read()))[0])
      END
      """)
    #expect(run.output == "OK\n", "\(run.errors)")
  }

  @Test func anExpiredTokenIsRefreshedBeforeItIsPrinted() throws {
    // The token of the sign-in is never valid.
    try mail.home.provider.change(#"{"accessTokenLifetime": 0}"#)
    try mail.signIn()
    try mail.home.provider.change(#"{"accessTokenLifetime": 3600}"#)
    let run = try mail.run(
      "send ada ada one && send ada ada two && fetch ada || cat mbsync.log log >&2; subjects ada")
    #expect(run.output == "one\ntwo\n", "\(run.errors)")
    #expect(try mail.home.provider.counter("refreshes") == 1)
  }

  @Test func aSignedOutAccountIsAnErrorWithoutAnAnswer() throws {
    try mail.signIn()
    let run = try mail.run(
      """
      tokenvault sign-out --yes ada@contoso.example >/dev/null 2>&1
      tokenvault mail-auth --user ada@contoso.example 2>errors; echo $?
      send ada ada one 2>/dev/null; echo msmtp $?
      fetch ada; echo mbsync $?; grep -c PassCmd mbsync.log
      echo hello | neomutt -n -F muttrc-ada -s one ada@contoso.example >/dev/null 2>&1
      echo neomutt $?; cat errors
      """)
    #expect(
      run.output.hasPrefix("1\nmsmtp 78\nmbsync 1\n1\nneomutt 1\ntokenvault: No account matches "),
      "\(run.output)")
  }

  /// The server asks about each token, so a revoked one is refused.
  @Test func aRevokedTokenIsAFailedAuthentication() throws {
    try mail.signIn()
    try mail.home.provider.control("revoke-user?username=ada@contoso.example")
    let run = try mail.run("send ada ada one; echo $?")
    #expect(run.output == "77\n", "\(run.output)")
    #expect(run.errors.contains("msmtp: authentication failed"), "\(run.errors)")
  }
}
