import Testing

/// A debug build can be debugged, but only on request; `.ci/run` checks that a release build has no
/// such request.
@Suite(.timeLimit(.minutes(5))) struct DebuggingTests {
  @Test(arguments: [
    ("", "Operation not permitted\n"), ("TOKENVAULT_DEBUGGABLE=0", "Operation not permitted\n"),
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
        # This returns when the program has started up and opened the pipe.
        exec 9>pipe
        if dd if=/proc/$pid/environ of=/dev/null count=0 2>/dev/null; then
          echo readable
          {
            for i in $(seq 20000); do
              grep -q "TracerPid:[[:space:]]*[1-9]" /proc/$pid/status && echo traced && break
            done
            kill -KILL $pid
          } 2>/dev/null &
          # As its parent: others may not attach under the Yama security module.
          exec strace -qq -o /dev/null -e trace=none -p $pid
        fi
        strace -qq -o /dev/null -e trace=none -p $pid 2>&1 | grep -o "Operation not permitted"
        kill -KILL $pid' "$T")
      wait
      true
      """)
    #expect(ran.output == expected, "\(ran.errors)")
  }
}
