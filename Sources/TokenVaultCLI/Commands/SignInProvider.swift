import TokenVault
import TokenVaultModel
import TokenVaultSignIn
import TokenVaultSystem

/// The provider that a sign-in names, as in `tokenvault sign-in github`.
struct SignInProvider {
  /// The names of all providers, as the user writes them. Files that cannot be read add none.
  static func forms(in invocation: Invocation) -> [String] {
    var names = BuiltInProviders.names
    bestEffort("the built-in providers are named in any case") {
      names = try invocation.configuration(.universalStorage).providers.names()
    }
    return names.map { ["forgejo", "oidc"].contains($0) ? "\($0) URL" : $0 }
  }

  /// Nil if the word names an account.
  let provider: ProviderDescription?

  /// Decides what the word after `sign-in` names. An account with exactly this alias or user name
  /// wins over a provider: the user gave the alias, and has `--client-id` for the other.
  init(_ word: String?, url: String?, in core: GroupSession) throws {
    guard let word else {
      provider = nil
      return
    }
    if let url {
      provider = try Self.provider(word, at: url, core.configuration.providers)
      return
    }
    let name = word.lowercased()
    let found = try core.configuration.providers.named(name)
    let isAccount = try found != nil && Self.isAccount(word, in: core)
    if let found, !isAccount, found.issuer == nil { throw CommandError.providerNeedsURL(name) }
    provider = isAccount ? nil : found
  }

  private static func provider(
    _ word: String, at url: String, _ providers: KnownProviders
  ) throws -> ProviderDescription? {
    let name = word.lowercased()
    guard let found = try providers.named(name) else {
      throw CommandError.noProvider(word, resembling: try resembling(word, providers))
    }
    guard found.takesURL else { throw CommandError.providerTakesNoURL(name) }
    if let secured = secured(url) {
      throw CommandError.notHTTPS(
        url, next: "tokenvault sign-in \(name) \(PlainText.shellWord(secured))")
    }
    return try providers.named(name, url: try authority(url, of: found))
  }

  /// A bare host stands for its https URL, and at Microsoft a tenant for the authority of it.
  private static func authority(
    _ text: String, of provider: ProviderDescription
  ) throws(VaultError) -> Authority {
    let isURL = text.contains("://")
    do throws(SignInError) {
      guard let own = provider.issuer, own.isMicrosoft else {
        return try Authority(isURL ? text : "https://\(text)")
      }
      let authority = try isURL ? Authority(text) : own.with(tenant: text)
      guard authority.isMicrosoft else { throw .invalidAuthority }
      return authority
    } catch { throw .signIn(error) }
  }

  /// The URL with https if it is one with http that is not allowed.
  static func secured(_ text: String) -> String? {
    guard text.lowercased().hasPrefix("http://") else { return nil }
    // absent is an answer: it is a URL on this machine, which may be http.
    do { _ = try Authority(text) } catch { return "https://" + text.dropFirst(7) }
    return nil
  }

  private static func isAccount(_ word: String, in core: GroupSession) throws(VaultError) -> Bool {
    let folded = CaseFolding.key(word)
    do {
      return try AccountEnumeration(core).accounts(.all).accounts.contains { account in
        [account.username, account.alias ?? "", account.identifier].contains {
          CaseFolding.key($0) == folded
        }
      }
    } catch .noGroup { return false }
  }

  /// The provider that a misspelt word may stand for; nil for none.
  static func resembling(_ word: String, _ providers: KnownProviders) throws(VaultError) -> String?
  {
    Spelling.nearest(to: word, in: try providers.names())
  }
}
