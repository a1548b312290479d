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

  static func providers() -> [String] {
    offered { try $0.configuration(.universalStorage).providers.names() }
  }

  /// - Parameter words: the command line, which may name a group.
  static func accounts(_ words: [String] = []) -> [String] {
    offered { invocation in
      var invocation = invocation
      take(words, to: &invocation.options)
      let vault = try invocation.vault(of: invocation.select(needsAccount: false))
      return try AccountEnumeration(vault).accounts(.all).accounts.flatMap { account in
        [account.alias, account.username].compactMap(\.self)
      }.filter { !$0.isEmpty && PlainText.escaped($0) == $0 }
    }
  }

  private static func take(_ words: [String], to options: inout Invocation.Options) {
    for (index, word) in words.enumerated() {
      let value = word.firstIndex(of: "=").map { String(word[word.index(after: $0)...]) }
      let next = index + 1 < words.count ? words[index + 1] : nil
      if word == "--group" || word == "-g" { options.group = next }
      if word.hasPrefix("--group=") { options.group = value }
      if word == "--vault-dir" { options.vaultDirectory = next }
      if word.hasPrefix("--vault-dir=") { options.vaultDirectory = value }
    }
  }

  private static func offered(_ body: (Invocation) throws -> [String]) -> [String] {
    var invocation = Invocation.ofProcess()
    invocation.options.mayAsk = false
    // absent is an answer: a shell cannot use an error in the middle of a line.
    do { return try body(invocation) } catch { return [] }
  }
}
