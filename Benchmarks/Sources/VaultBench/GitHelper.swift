import Foundation

/// A fetch through the credential helper: git asks for the password, and stores the one that has
/// worked.
enum GitHelper {
  /// - Parameters:
  ///   - program: The program as it is shipped.
  ///   - peer: Git's own helper for libsecret.
  static func run(_ program: String, peer: String, in home: String, runs: Int) throws {
    let question = "protocol=https\nhost=git.example.com\nusername=ada\n"
    let files = [("get", question), ("store", question + "password=one\n")]
    for (name, text) in files {
      try Data((text + "\n").utf8).write(to: URL(filePath: "\(home)/\(name)"))
    }
    func call(_ helper: String, _ verb: String) -> Command {
      Command("sh", "-c", "exec \(helper) \(verb) <'\(home)/\(verb)'")
    }
    let helper = "'\(program)' credential git"
    for helper in [helper, peer] { try call(helper, "store")() }
    for verb in ["get", "store"] {
      let (ours, theirs) = (call(helper, verb), call(peer, verb))
      let (first, second) = try alternate(runs, { try ours() }, { try theirs() })
      row("git credential helper, \(verb)", first.text)
      row("git-credential-libsecret, \(verb)", second.text)
      row("  ratio of medians (bound 1.00)", decimal(first.median / second.median))
    }
  }
}
