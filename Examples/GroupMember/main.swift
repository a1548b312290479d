import Foundation
import TokenVault

// A tool that shares a keychain group. It gets the token of the group's current account if the
// group's manifest admits this executable.
//
//   group-member GROUP SCOPE...

let arguments = CommandLine.arguments.dropFirst()
guard let name = arguments.first.flatMap(GroupName.init), arguments.count > 1 else {
  complain("usage: group-member GROUP SCOPE...", exitCode: 64)
}
do {
  let vault = Vault(try .process(group: name))
  let scopes = ScopeSet(Array(arguments.dropFirst()))
  let result = try await vault.token(TokenRequest(scopes: scopes))
  let token = result.accessToken.reveal()
  print("\(result.account.username): a token of \(token.count) characters for \(result.scopes)")
} catch .notAMember(let executable, let group) {
  complain(
    "\(executable) is not a member of \(group).\n"
      + "To let it in: tokenvault group members \(group) --add \(executable)",
    exitCode: 77)
} catch .interactionRequired(let reason, let account, _) {
  complain("\(account.username) has to sign in: \(reason)", exitCode: 4)
} catch .ambiguousCurrentAccount(let candidates, let group) {
  complain(
    "No account is the current one. Signed in: "
      + candidates.map(\.username).joined(separator: ", ") + "\n"
      + "To choose one: tokenvault --group \(group) switch",
    exitCode: 64)
} catch .homeNotSet {
  complain("HOME is not set", exitCode: 78)
} catch {
  complain("\(error)", exitCode: 1)
}

func complain(_ message: String, exitCode: Int32) -> Never {
  FileHandle.standardError.write(Data((message + "\n").utf8))
  exit(exitCode)
}
