import ArgumentParser
import TokenVault
import TokenVaultModel

/// The group and the file of a backup. The group has no default: it would copy or replace another
/// group than the one that the user means.
struct BackupArguments: ParsableArguments {
  @Argument(
    help: ArgumentHelp("The group.", valueName: "name"),
    completion: .custom { _, _, _ in Completions.groups() })
  var first: String?
  @Argument(help: ArgumentHelp("The file of the backup.", valueName: "file"), completion: .file())
  var second: String?

  /// The group and the path of the file.
  /// - Parameter verb: The name of the command, for its usage.
  func resolve(
    _ verb: String, in invocation: Invocation
  ) throws -> (vault: GroupSession, file: String) {
    var invocation = invocation
    let named = invocation.options.group
    switch (first, second) {
    case (let file?, nil) where named != nil: return (try invocation.selectedVault(), file)
    case (let name?, let file?):
      guard named == nil || named == name else {
        throw CommandError.optionsExclude("The group \(PlainText.escaped(name))", "--group")
      }
      invocation.options.group = name
      return (try invocation.selectedVault(), file)
    default: throw CommandError.groupNotNamed(form: form(verb, invocation))
    }
  }

  /// The right form, with the word that was given in its place.
  private func form(_ verb: String, _ invocation: Invocation) -> String {
    var (name, file) = ("NAME", "FILE")
    if let first {
      if InputFile.exists(first) {
        file = PlainText.shellWord(first)
      } else if let group = GroupName(first), invocation.knows(group) {
        name = first
      }
    }
    return "tokenvault group \(verb) \(name) \(file)"
  }
}
