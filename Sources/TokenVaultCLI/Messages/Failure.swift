import TokenVault
import TokenVaultModel

/// An error as the user sees it: what is wrong, what is safe, and the one command to run next, with the
/// exit status. With ``ExitStatus/usage``, ``ExitStatus/notFound`` and ``ExitStatus/configuration``
/// nothing has begun; with ``ExitStatus/signInNeeded`` everything stays. Other messages say what is
/// safe.
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
    _ status: ExitStatus, _ message: String, next: String, note: String? = nil, code: String? = nil
  ) {
    self.init(status, message, optionalNext: next, note: note, code: code)
  }

  /// A wrong call. Without a next command it leads to the help of the command.
  init(usage message: String, code: String? = nil) {
    self.init(.usage, message, optionalNext: nil, note: nil, code: code)
  }

  /// A failure of which everything has been printed already.
  static func printed(_ status: ExitStatus, code: String? = nil) -> Failure {
    Failure(status, "", optionalNext: nil, note: nil, code: code)
  }

  private init(
    _ status: ExitStatus, _ message: String, optionalNext next: String?, note: String?,
    code: String?
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
      self.init(
        .unexpected,
        "An unexpected error occurred (\(type(of: error))). Earlier changes are kept.",
        next: Self.doctor)
    }
  }

  static let tokensKept = " Stored tokens are unchanged."

  /// The message for a report that says itself what is stored.
  var reason: String { message.replacing(Self.tokensKept, with: "") }

  /// The message and the next command, for standard error.
  var text: String { message + ending }

  /// The same failure, with the group's name in front unless the message contains it.
  func of(_ group: GroupName) -> Failure {
    message.contains(group.description)
      ? self
      : Failure(
        status, "\(group): \(message)", optionalNext: next, note: note, code: code)
  }

  /// The same failure with another message or next command.
  func with(message: String? = nil, next: String? = nil) -> Failure {
    Failure(
      status, message ?? self.message, optionalNext: next ?? self.next, note: note, code: code)
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
      optionalNext: all.count == 1 ? all[0].next : nil, note: all.count == 1 ? all[0].note : nil,
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
