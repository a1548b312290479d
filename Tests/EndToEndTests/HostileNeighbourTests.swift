import Foundation
import Testing
import TokenVaultTestSupport

/// Attacks from beside the process: other users, links, and the session bus.
@Suite(.timeLimit(.minutes(10))) struct HostileNeighbourTests {
  /// The whole way to the vault is open to everybody, so that its own modes alone protect it.
  @Test func anotherUserReadsAndChangesNothing() throws {
    let machine = try Machine()
    try machine.succeed("import", "-", input: Person.cache(.ada))
    let before = try machine.image()
    let ran = try machine.shell(
      """
      nobody() { "$@"; }
      if test "$(id -u)" = 0; then
        nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups -- "$@"; }
      fi
      # Paths are relative, so that the modes of the directories above do not matter.
      for directory in . .local .local/share .local/state; do chmod 755 $directory; done
      mkdir -m 777 loot; echo open >.local/share/note; chmod 644 .local/share/note
      nobody cat .local/share/note
      find .local/share/tokenvault .local/state/tokenvault -perm /077 -printf 'wide %p\n'
      test "$(id -u)" = 0 || exit 0
      groups=.local/share/tokenvault/groups; file=$groups/\(Machine.group).vault
      for file in $file $file-wal .local/state/tokenvault/device-keys/*; do
        test -e "$file" || continue
        nobody cat "$file" && echo "read $file"
        nobody ln "$file" loot/ && echo "linked $file"
        nobody sh -c 'echo x >"$1"' sh "$file" && echo "wrote $file"
      done 2>/dev/null
      nobody ls $groups 2>/dev/null && echo listed
      nobody mv .local/share/tokenvault loot/ 2>/dev/null && echo moved
      true
      """)
    #expect(ran.status == 0 && ran.output == "open\n", "\(ran.output)\(ran.errors)")
    let after = try machine.image()
    #expect(after == before)
    #expect(try machine.token(Person.ada.username) == Person.ada.access + "\n")
  }

  /// In a directory that everybody may write to, a neighbour puts links and files of his own under the
  /// name of a backup, as fast as he can.
  @Test func aRacerInTheDirectoryOfABackupGetsNoByteAndChangesNoOtherFile() throws {
    let machine = try Machine()
    try machine.succeed("import", "-", input: Person.cache(.ada))
    let racer = try machine.write(
      """
      import os, sys
      name, victim, loot = sys.argv[1:]
      print("ready", flush=True)
      while True:
          for attack in (lambda: os.symlink(victim, name), lambda: os.symlink(loot, name),
                         lambda: os.link(loot, name)):
              try:
                  attack()
              except OSError:
                  pass
              try:
                  os.unlink(name)
              except OSError:
                  pass
      """, to: "racer.py")
    let ran = try machine.shell(
      """
      nobody() { exec "$@"; }
      if test "$(id -u)" = 0; then
        nobody() { exec setpriv --reuid 65534 --regid 65534 --clear-groups -- "$@"; }
      fi
      place=$(mktemp -d); chmod 777 "$place"
      echo victim >victim; program=$(cat "\(racer)")
      (cd "$place"; nobody sh -c 'umask 0; : >loot')
      mkfifo ready; home=$PWD
      # Relative, so that the modes of the directories above do not matter.
      (cd "$place"; nobody /usr/bin/python3 -I -c "$program" copy "$home/victim" loot >"$home/ready") &
      racer=$!
      read -r line <ready; echo "$line"
      for i in $(seq 12); do
        $T group backup \(Machine.group) "$place/copy" >/dev/null 2>&1; echo $? >>statuses
        $T export --output "$place/copy" --force >/dev/null 2>&1; echo $? >>statuses
      done
      kill -KILL $racer; wait $racer 2>/dev/null
      cat victim; wc -c <"$place/loot"
      sort statuses | uniq | grep -v -x -e 0 -e 73 -e 74
      rm -r "$place"
      """)
    #expect(ran.output == "ready\nvictim\n0\n", "\(ran.errors)")
  }

  /// A listener on the bus hears one part of the key, and nothing of an account.
  @Test func aBusThatEavesdropsHearsNoTokenAndNoName() throws {
    let machine = try Machine()
    try machine.succeed("import", "-", input: Person.cache(.ada))
    let relay = try BusRelay(to: machine.session)
    defer { relay.stop() }
    let token = try machine.succeed(
      "token", "--account", Person.ada.username,
      environment: ["DBUS_SESSION_BUS_ADDRESS": relay.busAddress])
    #expect(token == Person.ada.access + "\n")
    #expect(relay.recordedAnswers.count > 200)
    let marks = Marks([Person.ada.access, Person.ada.refresh, Person.ada.username])
    #expect(marks.found(in: relay.recordedAnswers).isEmpty)
  }
}
