import TokenVault
import TokenVaultModel

/// An error as the user sees it: one sentence, the exit status, and the one command to run next.
/// JSON also has a stable name for it, from `Codes/X+Code.swift`.
///
/// `Failure+X.swift` holds the text for each error of the type `X`. The switches there have no
/// default, so a new error does not compile until it has a text and an exit status.
struct Failure: Error {
  let status: ExitStatus
  /// The stable name of the error in JSON.
  private(set) var code: String
  /// Empty if everything has been printed already.
  let message: String
  /// The next command, or an instruction that contains it.
  private(set) var next: String?
  /// A line below the next command, such as another way; nil for none.
  let note: String?

  /// - Parameter code: nil for the name of the exit status.
  init(
    _ status: ExitStatus, _ message: String, next: String? = nil, note: String? = nil,
    code: String? = nil
  ) {
    self.status = status
    self.code = code ?? status.code
    self.message = message
    self.next = next
    self.note = note
  }

  init(_ error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as CommandError:
      self.init(error)
      code = error.code
    case let error as VaultError:
      self.init(error)
      code = error.code
    default:
      self.init(.unexpected, "An unexpected error occurred (\(type(of: error))).")
    }
  }

  /// The message and the next command, for standard error.
  var text: String { message + ending }

  /// The same failure, with the group's name in front unless the message contains it.
  func of(_ group: GroupName) -> Failure {
    message.contains(group.description)
      ? self : Failure(status, "\(group): \(message)", next: next, note: note, code: code)
  }

  /// The same failure; a usage error without a next command leads to the help of the command.
  func withHelp(of command: String) -> Failure {
    guard status == .usage, next == nil else { return self }
    var failure = self
    failure.next = command.isEmpty ? "tokenvault --help" : "tokenvault \(command) --help"
    return failure
  }

  /// The next command and the line below it; empty for none.
  var ending: String { Self.ending(next, note) }

  static func ending(_ next: String?, _ note: String?) -> String {
    (next.map { "\nnext: \($0)" } ?? "") + (note.map { "\n\($0)" } ?? "")
  }

  /// Several failures as one, with the status of the first.
  init(_ failures: [Failure]) {
    let all = failures.filter { !$0.message.isEmpty }
    self.init(
      failures.first?.status ?? .unexpected, all.map(\.message).joined(separator: "\n"),
      next: all.count == 1 ? all[0].next : nil, note: all.count == 1 ? all[0].note : nil,
      code: all.count == 1 ? all[0].code : "groupsFailed")
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("code", code)
      writer.field("message", message)
      if let next { writer.field("next", next) }
      if let note { writer.field("note", note) }
      writer.field("exitStatus", status.rawValue)
    }
  }
}
