"""The commands that write, and the homes in which they are run."""

from machine import GROUP, PEOPLE, SHARED, cache

ADA, BOB = PEOPLE["ada"][0], PEOPLE["bob"][0]


class Operation:
    """A command and its input.

    again: the statuses with which it may be repeated
    ends: statuses without a fault, beside 0
    prepare: makes the home in which it is run
    between: whether a state is one that a command of several steps may leave, from the facts
        before, after and now; without it, the command happens entirely or not at all
    reads: it changes nothing
    facts: what a user sees of its effect; otherwise all that machine.facts() has
    leaves: the ending of a file that may stay, and that the documentation names
    lists: the statuses with which `list --all-groups` may end in a state between
    """

    def __init__(self, command, input="", again=(0,), ends=(), prepare=None, between=None,
                 reads=False, facts=None, leaves=None, lists=(0,)):
        self.arguments = command.split()
        self.name = command
        self.input, self.again, self.ends = input, again, ends
        self.prepare, self.between, self.reads = prepare, between, reads
        self.leaves, self.lists = leaves, lists
        self.facts = facts or (lambda machine: machine.facts())

    def execute(self, machine, trace, **options):
        return machine.run(self.arguments, self.input, trace, **options)


def standard(machine):
    """Two accounts, a stored secret, an alias, a rule, a member, and a backup of all that."""
    machine.write("cache.json", cache("ada", "bob"))
    machine.write("later.json", "")
    machine.write(".config/git/config", "")
    machine.succeed(["import", "~/cache.json"])
    machine.succeed(["switch", ADA])
    machine.succeed(["alias", ADA, "work"])
    machine.succeed(["add", "--service", "https://git.example", "--username", "carol"],
                    "secret-of-carol-1\n")
    machine.succeed(["rule", "add", BOB, "--host", "one.example"])
    machine.succeed(["rule", "add", ADA, "--host", "two.example"])


def empty(machine):
    pass


def with_backup(machine):
    standard(machine)
    machine.succeed(["group", "backup", GROUP, "~/backup"])
    machine.succeed(["alias", ADA, "home"])


def with_key_file(machine):
    standard(machine)
    machine.succeed(["group", "create", "com.example.file", "--custody", "key-file",
                     "--key-file", machine.path("file.key")])
    machine.succeed(["add", "--group", "com.example.file", "--service", "https://file.example",
                     "--username", "dave"], "secret-of-dave\n")


def with_plaintext(machine):
    standard(machine)
    machine.write(".git-credentials", "https://dave:secret-of-dave@plain.example\n")
    machine.write(".gitconfig", "[credential]\n\thelper = store\n")


def with_plaintext_stored(machine):
    with_plaintext(machine)
    machine.succeed(["add", "--service", "https://plain.example", "--username", "dave"],
                    "secret-of-dave\n")


def with_helper(machine):
    standard(machine)
    machine.succeed(["credential", "install", "git"])


def group_exists(before, after, now):
    """A new group that is still empty, or not there any more: its creation is a step of its own."""
    return {key: now[key] for key in now if key != "groups"} == {
        key: before[key] for key in before if key != "groups"}


def erased_but_listed(before, after, now):
    """Deleting a group destroys its key first: until it is repeated, the file is closed."""
    return now["carol"] != before["carol"]


def manifest_only(before, after, now):
    return True


LATER = cache("ada", "bob", "eve", mark="-later")
CREATE = "group create com.example.team --title Team --member deploy"

OPERATIONS = [
    Operation("add --service https://git.example --username carol", "secret-of-carol-1\n",
              prepare=empty, between=group_exists),
    Operation("add --service https://git.example --username carol", "secret-of-carol-2\n"),
    Operation("add --service https://new.example --username dave", "secret-of-dave\n"),
    Operation("import -", LATER),
    Operation(f"switch {BOB}"),
    Operation(f"alias {BOB} other"),
    Operation("alias work --remove", again=(0, 66)),
    Operation(f"rule add {BOB} --host three.example"),
    Operation("rule remove --host one.example", again=(0, 66)),
    Operation(f"sign-out {BOB}", again=(0, 66)),
    Operation("sign-out --all --yes", again=(0, 66)),
    Operation("sign-out carol --service https://git.example", again=(0, 66)),
    Operation("export --output ~/export.json", again=(0, 73)),
    Operation("export --output ~/export.json --force"),
    Operation(f"import --remove ~/cache.json {ADA}", again=(0, 66)),
    Operation(CREATE, again=(0, 73), between=manifest_only),
    Operation("group create com.example.own --custody key-file --key-file ~/own.key",
              again=(0, 73), between=manifest_only),
    Operation(f"group members {GROUP} --add deploy", again=(0, 64)),
    Operation(f"group backup {GROUP} ~/backup", again=(0, 73)),
    Operation(f"group restore {GROUP} ~/backup --yes", prepare=with_backup),
    Operation(f"group restore {GROUP} ~/backup --as com.example.copy", again=(0, 73),
              prepare=with_backup, between=manifest_only),
    Operation(f"group rekey {GROUP}"),
    Operation(f"group rekey {GROUP} --custody key-file --key-file ~/new.key", again=(0, 64, 73)),
    Operation("group rekey com.example.file", prepare=with_key_file),
    Operation(f"group recovery-code {GROUP}"),
    Operation(f"group delete {SHARED} --yes", again=(0, 66), between=erased_but_listed,
              lists=(0, 77)),
    Operation("group unlock com.example.file --for 1h", prepare=with_key_file),
    Operation("group lock com.example.file", again=(0, 66), prepare=with_key_file),
    Operation("credential install git", again=(0, 64, 73), between=manifest_only),
    Operation("credential uninstall git", prepare=with_helper, again=(0, 66),
              between=manifest_only),
    Operation("audit --import", again=(0, 1), ends=(1,), prepare=with_plaintext),
    Operation("audit --remove --yes", again=(0, 1), ends=(1,), prepare=with_plaintext_stored,
              leaves=".tokenvault-new"),
    Operation("export --to git --service https://git.example --username carol"),
]
