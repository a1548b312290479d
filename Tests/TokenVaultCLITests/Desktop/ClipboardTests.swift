import Foundation
import Testing
import TokenVaultTestSupport

/// `token --clip` with the clipboards of a real X server and a real Wayland compositor.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ClipboardTests {
  /// A clipboard, and the only program that the command finds for it.
  enum Desktop: String, CaseIterable, Sendable {
    case xclip, xsel
    case wayland = "wl-copy"

    var start: String { self == .wayland ? ClipboardTests.sway : ClipboardTests.xvfb }
    var paste: String {
      switch self {
      case .xclip, .xsel: "xclip -o -selection clipboard"
      case .wayland: "wl-paste --no-newline"
      }
    }
    var copy: String {
      self == .wayland ? "wl-copy --type text/plain" : "xclip -i -selection clipboard"
    }
    var programs: String {
      self == .wayland ? "wl-copy wl-paste xdg-mime cat rm" : rawValue
    }
  }

  static let xvfb = """
    mkfifo display; Xvfb -displayfd 3 -screen 0 320x240x24 -noreset 3>display >/dev/null 2>&1 &
    trap "kill $!" EXIT
    N=$(timeout 20 sh -c 'read -r N <display; echo "$N"') || exit 9; export DISPLAY=:$N

    """
  /// Sway refuses to run as root.
  static let sway = """
    W=$(mktemp -d /tmp/sway-XXXXXX); mkfifo $W/ready
    printf 'xwayland disable\\nexec echo $WAYLAND_DISPLAY >%s\\n' $W/ready >$W/config
    AS=; if [ $(id -u) = 0 ]; then AS='setpriv --reuid 65534 --regid 65534 --clear-groups'; fi
    if [ "$AS" ]; then chown -R 65534:65534 $W; fi
    XDG_RUNTIME_DIR=$W WLR_BACKENDS=headless WLR_RENDERER=pixman WLR_LIBINPUT_NO_DEVICES=1 \\
      $AS sway -c $W/config >/dev/null 2>&1 &
    trap "kill $!; rm -r $W" EXIT
    D=$(timeout 20 sh -c 'read -r D <"$1"; echo "$D"' - $W/ready) || exit 9; export WAYLAND_DISPLAY=$W/$D

    """

  /// `clip OPTIONS` starts the command and waits for its first line; `held` lists the processes that
  /// may have the token.
  private func script(_ desktop: Desktop, _ rest: String) -> String {
    desktop.start + """
      mkdir only; for p in sh timeout \(desktop.programs); do
        if q=$(command -v $p); then ln -s $q only/; fi; done
      PROGRAM=$(command -v tokenvault)
      buffers() { for b in /tmp/wl-copy-buffer-*; do echo "$b"; done; }
      BEFORE=$(buffers)
      paste() { timeout 5 \(desktop.paste) 2>/dev/null; }
      clip() {
        rm -f errors; : >errors
        env --default-signal=INT,TERM,HUP PATH=$HOME/only $PROGRAM token --account ada --clip "$@" \\
          >output 2>errors & T=$!
        until grep -q 'is on the clipboard' errors; do
          kill -0 $T 2>/dev/null || { cat errors; exit 9; }; sleep 0.02; done
      }
      held() {
        for p in /proc/[0-9]*; do
          if grep -qsz "^HOME=$HOME$" $p/environ; then
            case $(cat $p/comm) in xclip|xsel|wl-copy) cat $p/comm;; esac
          fi
        done
        # Those of others may have been there before.
        for b in $(buffers); do
          case "$BEFORE" in *"$b"*) ;; *) if [ -O "$b" ]; then echo "$b"; fi;; esac; done
      }
      gone() { while [ "$(held)" ]; do sleep 0.02; done; }

      """ + rest
  }

  private func run(_ desktop: Desktop, _ rest: String) throws -> ShellHome.Run {
    let home = try CommandLineFixtures().home(SharedSecretService.get())
    #expect(try home.run("tokenvault import cache.json").status == 0)
    return try home.run(script(desktop, rest))
  }

  @Test(arguments: Desktop.allCases)
  func theTokenIsOnTheClipboardForItsTimeOnly(desktop: Desktop) throws {
    let run = try run(
      desktop,
      """
      clip --clear-after 1s
      paste; echo; cat output; grep -las 'at-[a]da' /proc/[0-9]*/cmdline
      wait $T; echo "status $?"; cat errors; gone; echo "[$(paste)]"
      """)
    #expect(
      run.output == """
        at-ada
        status 0
        The token of ada@contoso.example is on the clipboard for 1 s. Ctrl-C clears it now.
        Cleared the clipboard.
        []

        """)
  }

  @Test(arguments: Desktop.allCases)
  func everyEndClearsTheClipboard(desktop: Desktop) throws {
    let run = try run(
      desktop,
      """
      for signal in INT TERM HUP KILL; do
        clip; paste; kill -$signal $T; wait $T 2>/dev/null; echo " $signal $?"; gone; echo "[$(paste)]"
      done
      # A stopped command does nothing at the end of the time.
      clip --clear-after 1s; kill -STOP $T; gone; echo "STOP [$(paste)]"
      kill -CONT $T; wait $T; echo $?
      """)
    #expect(
      run.output == """
        at-ada INT 130
        []
        at-ada TERM 130
        []
        at-ada HUP 130
        []
        at-ada KILL 137
        []
        STOP []
        0

        """)
  }

  @Test func aTerminalThatClosesClearsTheClipboard() throws {
    let run = try run(
      .xclip,
      """
      setsid env --default-signal=HUP script -qec \\
        "tokenvault token --account ada --clip" /dev/null >errors 2>&1 </dev/null & S=$!
      until grep -q 'is on the clipboard' errors; do
        kill -0 $S || { cat errors; exit 9; }; sleep 0.02; done
      paste; kill -9 $S; gone; echo " [$(paste)]"
      """)
    #expect(run.output == "at-ada []\n")
  }

  @Test(arguments: [Desktop.xclip, .wayland])
  func anotherTextOnTheClipboardStays(desktop: Desktop) throws {
    let run = try run(
      desktop,
      """
      clip; printf other | \(desktop.copy); wait $T; echo $?; tail -1 errors; paste; echo
      # A clipboard manager takes the token over.
      clip --clear-after 2s; paste >taken; \(desktop.copy) <taken; wait $T; echo $?
      tail -1 errors; echo "[$(paste)]"
      """)
    #expect(
      run.output == """
        0
        Another text is on the clipboard now.
        other
        0
        Cleared the clipboard.
        []

        """)
  }

  /// A clipboard manager that has the token does not answer, before or after the command has read it.
  @Test func aClipboardThatCannotBeReadIsEmptied() throws {
    let run = try run(
      .xclip,
      """
      clip --clear-after 5s; paste >taken
      for p in /proc/[0-9]*; do
        if [ "$(cat $p/comm 2>/dev/null)" = xclip ] && grep -qsz "^HOME=$HOME$" $p/environ; then
          H=${p#/proc/}; fi; done
      xclip -quiet -i -selection clipboard <taken >/dev/null 2>&1 & M=$!
      while kill -0 $H 2>/dev/null; do sleep 0.02; done; kill -STOP $M
      wait $T; echo $?; tail -2 errors; echo "[$(paste)]"; kill -CONT $M; wait $M
      # More text than the command reads.
      clip; head -c 3000000 /dev/zero | tr '\\0' x | xclip -i -selection clipboard; wait $T; echo $?
      tail -1 errors; timeout 20 xclip -o -selection clipboard | wc -c
      """)
    #expect(
      run.output == """
        69
        tokenvault: The program that held the clipboard did not answer. The clipboard was emptied.
        next: tokenvault token
        []
        0
        Another text is on the clipboard now.
        3000000

        """, "\(run.errors)")
  }

  @Test func withoutAClipboardNothingIsRequestedAndTheNextCommandIsNamed() throws {
    let run = try run(
      .xsel,
      """
      rm only/xsel
      PATH=$HOME/only $PROGRAM token --account ada --clip; echo $?
      WAYLAND_DISPLAY=w PATH=$HOME/only $PROGRAM token --account ada --clip
      DISPLAY= $PROGRAM token --account ada --clip; echo $?
      DISPLAY=:99999 $PROGRAM token --account ada --clip; echo $?
      """)
    #expect(run.output == "69\n69\n69\n")
    #expect(
      run.errors == """
        tokenvault: No program for the clipboard is installed. Nothing was changed.
        next: sudo apt-get install xclip
        tokenvault: No program for the clipboard is installed. Nothing was changed.
        next: sudo apt-get install wl-clipboard
        tokenvault: There is no clipboard: neither WAYLAND_DISPLAY nor DISPLAY is set. Nothing was changed.
        next: run the command again in a terminal of the desktop
        tokenvault: xclip did not put the token on the clipboard. Stored tokens are unchanged.
        next: tokenvault token

        """)
  }
}
