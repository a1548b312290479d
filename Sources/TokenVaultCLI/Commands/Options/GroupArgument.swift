import ArgumentParser
import TokenVault

/// The group that a group command works on.
struct GroupArgument: ParsableArguments {
  @Argument(
    help: "The group. Default: the group selected by --group and its defaults.",
    completion: .custom { _, _, _ in Completions.groups() })
  var name: String?

  func vault(in invocation: Invocation) throws -> GroupSession {
    var invocation = invocation
    if let name { invocation.options.group = name }
    return try invocation.selectedVault()
  }
}
