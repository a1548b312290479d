import TokenVault
import TokenVaultModel

/// Shell completions. They never prompt, and offer nothing if a name cannot be read at once.
enum Completions {
  static func groups() -> [String] {
    offered { invocation in
      let configuration = try invocation.configuration(.universalStorage)
      let files = try GroupFiles.names(in: configuration.groupsDirectory, suffix: ".vault")
      let manifests = try Manifests(directories: configuration.manifestDirectories).names()
      return Set(files + manifests).sorted().map(\.description)
    }
  }

  static func accounts() -> [String] {
    offered { invocation in
      let vault = try invocation.vault(of: invocation.select(needsAccount: false))
      return try AccountEnumeration(vault).accounts(.all).accounts.flatMap { account in
        [account.alias, account.username].compactMap(\.self)
      }.filter { !$0.isEmpty && PlainText.escaped($0) == $0 }
    }
  }

  private static func offered(_ body: (Invocation) throws -> [String]) -> [String] {
    var invocation = Invocation.ofProcess()
    invocation.options.mayAsk = false
    // absent is an answer: a shell cannot use an error in the middle of a line.
    do { return try body(invocation) } catch { return [] }
  }
}
