import Testing

/// A debug build can be debugged, but only on request; `.ci/run` checks that a release build has no
/// such request.
@Suite(.timeLimit(.minutes(5))) struct DebuggingTests {
  @Test(arguments: [
    ("", "refused\nrefused\n"), ("TOKENVAULT_DEBUGGABLE=0", "refused\nrefused\n"),
    ("TOKENVAULT_DEBUGGABLE=1", "readable\ntraced\n"),
  ])
  func aDebugBuildCanBeTracedOnlyOnRequest(variable: String, expected: String) throws {
    let machine = try Machine()
    let ran = try machine.shell(
      """
      # The administrator's capabilities would open everything.
      bare() { exec "$@"; }
      if test "$(id -u)" = 0; then
        bare() { exec setpriv --bounding-set=-all --inh-caps=-all -- "$@"; }
      fi
      mkfifo pipe
      (bare env \(variable) sh -c '
        "$0" import pipe & pid=$!
        # The program opens the pipe, and with that the shell goes on.
        exec 9>pipe
        dd if=/proc/$pid/environ of=/dev/null count=0 2>/dev/null && echo readable || echo refused
        {
          until grep -q "TracerPid:[[:space:]]*[1-9]" /proc/$pid/status; do
            kill -0 $$ || { echo refused; kill -KILL $pid; exit; }
          done
          echo traced
          kill -KILL $pid
        } 2>/dev/null &
        # Its own parent: others may not attach under the Yama security module.
        exec strace -qq -o /dev/null -e trace=none -p $pid' "$T") 9>&-
      wait
      true
      """)
    #expect(ran.output == expected, "\(ran.errors)")
  }
}
