import ArgumentParser

struct DoctorCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Check everything that tokenvault needs.",
    discussion: """
      Each line shows ok, or FAILING with the next step. The command never prompts. The exit \
      status is that of the first failure.

      EXAMPLES
        tokenvault doctor
        tokenvault doctor --json
      """)

  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    let findings = try Diagnosis(invocation).findings
    let failures = findings.compactMap(\.failure)
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
