import Testing
import TokenVaultTestSupport

/// Real vdirsyncer with the password of a calendar.
@Suite(.timeLimit(.minutes(5)))
struct VdirsyncerTests {
  @Test func vdirsyncerGetsThePassword() throws {
    let run = try ClientHome("davserver.py", helpers: []).run(
      """
      echo one | tokenvault add --quiet --service http://127.0.0.1:$N --username ada >/dev/null
      cat >vdirsyncer.conf <<END
      [general]
      status_path = "~/status/"
      [pair calendar]
      a = "far"
      b = "near"
      collections = null
      [storage far]
      type = "http"
      url = "http://127.0.0.1:$N/calendar.ics"
      username = "ada"
      password.fetch = ["command", "tokenvault", "token", "--service", "127.0.0.1:$N", "--account", "ada"]
      [storage near]
      type = "filesystem"
      path = "~/near/"
      fileext = ".ics"
      END
      mkdir near; (vdirsyncer -c vdirsyncer.conf discover && vdirsyncer -c vdirsyncer.conf sync) >&2
      cat near/*.ics | tr -d '\\r' | grep ^SUMMARY; sort -u log
      """)
    #expect(run.output == "SUMMARY:New year\nada:one\n", "\(run.errors)")
  }
}
