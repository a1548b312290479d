import ArgumentParser

struct DoctorCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Check everything that tokenvault needs.",
    discussion: """
      Each line shows ok, FAILING, or warning, with the next step. A warning names the commands \
      that do not work, although the group in force does. The command never prompts. The exit \
      status is that of the first failure; it is 0 if there are only warnings. With --fix, it \
      takes the access of other users away from the vault's directories and group files, removes \
      files that killed processes left, renews desktop entries whose program is gone, and writes \
      a missing manifest of a group. It prints each correction, and the command for everything \
      that it leaves to you; it changes no key and no token.

      EXAMPLES
        tokenvault doctor
        tokenvault doctor --fix
        tokenvault doctor --json
      """)

  @Flag(help: "Correct the faults that can be corrected without a risk, and print each.") var fix =
    false
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    var invocation = invocation
    invocation.options.isDiagnosis = true
    let findings = try Diagnosis(invocation, fixes: fix).findings()
    let failures = findings.filter { $0.level == .failing }.compactMap(\.failure)
    if global.json {
      try invocation.answerJSON { writer in
        writer.object { writer in
          writer.field("ok", failures.isEmpty)
          writer.key("checks")
          writer.array(findings) { $1.write(to: &$0) }
        }
      }
    } else {
      try invocation.answer(Array(findings.map(\.text).joined().utf8))
    }
    if let first = failures.first { throw CommandError.diagnosis(first.status) }
  }
}
