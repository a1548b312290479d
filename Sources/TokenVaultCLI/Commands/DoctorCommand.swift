import ArgumentParser

struct DoctorCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Look at everything that has to be in place.",
    discussion: """
      Each line says ok or what fails, with the next step. Nothing is asked. The exit status is \
      that of the first failure.

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

extension Finding {
  fileprivate var text: String {
    guard let failure else { return "ok       \(title): \(detail)\n" }
    return "FAILING  \(title): \(detail)\n" + (failure.next.map { "         next: \($0)\n" } ?? "")
  }

  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("check", id)
      writer.field("title", title)
      writer.field("ok", failure == nil)
      writer.field("detail", detail)
      if let next = failure?.next { writer.field("next", next) }
    }
  }
}
