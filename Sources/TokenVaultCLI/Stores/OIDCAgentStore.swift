import TokenVault
import TokenVaultCrypto
import TokenVaultModel
import TokenVaultSystem

/// An account configuration of oidc-agent, as `oidc-gen --print` decrypts it.
struct OIDCAgentStore: CredentialStore {
  private let name: String
  private let configuration: JSONValue

  /// Runs oidc-gen, which asks for the passphrase of the account on the terminal itself.
  init(_ name: String, in invocation: Invocation) throws {
    let environment = Invocation.wholeEnvironment()
    var words = ["oidc-gen", "--print=\(name)"]
    // The passphrase is in a variable that oidc-agent defines.
    let hasPassphrase = environment["OIDC_ENCRYPTION_PW"] != nil
    if hasPassphrase { words.append("--pw-env=OIDC_ENCRYPTION_PW") }
    guard hasPassphrase || invocation.options.mayAsk else {
      throw Failure.storeRefuses(
        "oidc-gen has to ask for the passphrase of \(Failure.quoted(name)).",
        next: Failure.again("without --no-input, or with OIDC_ENCRYPTION_PW set"))
    }
    let result = try ChildProgram.run(
      words, environment: environment, input: hasPassphrase ? .empty : .inherited)
    guard let result else {
      throw Failure.missingStore("oidc-gen", package: "oidc-agent-cli")
    }
    guard result.status == 0 else { throw Failure.storeFailed("oidc-gen", result.errors) }
    try self.init(result.output, name: name)
  }

  /// The output of oidc-gen.
  init(_ bytes: [UInt8], name: String) throws(Failure) {
    self.name = name
    do { configuration = try JSONValue(parsing: bytes) } catch {
      throw .badStore(name, "it is not an account configuration of oidc-agent")
    }
    guard configuration["issuer_url"]?.text != nil else {
      throw .badStore(name, "it is not an account configuration of oidc-agent")
    }
  }

  private func text(_ field: String) -> String { configuration[field]?.text ?? "" }

  func items() -> [StoreItem] {
    [
      StoreItem(
        name: text("name").isEmpty ? name : text("name"), content: content,
        place: .fixed("oidc-gen --delete would revoke the token that was imported"),
        rest: text("client_secret").isEmpty ? nil : "client secret")
    ]
  }

  /// The refresh token, which is never sent to its issuer as a password. An account of the vault has the subject that the provider gave the user, which
  /// oidc-agent does not keep.
  private var content: StoreItem.Content {
    guard !text("refresh_token").isEmpty else { return .unusable("it has no refresh token") }
    guard !text("client_id").isEmpty else { return .unusable("it has no client id") }
    return .password(
      address: text("issuer_url"), username: text("client_id"),
      secret: Array(text("refresh_token").utf8)
    ) {
      $0.isRefreshToken = true
      $0.remark =
        "the refresh token of the client \(PlainText.escaped(text("client_id"))), kept as a secret"
    }
  }
}
