import TokenVault
import TokenVaultModel

/// Plain forms of `tokenvault token` without ArgumentParser, which takes longer than the token.
///
/// It prints a stored token or does nothing. ``TokenCommand`` handles unknown options, errors and
/// prompts, and starts from the beginning.
enum WarmToken {
  /// Prints the token that the arguments request.
  /// - Returns: the exit status; nil if nothing was printed or changed.
  static func answer(_ arguments: [String]) -> ExitStatus? {
    guard var request = Request(arguments) else { return nil }
    request.token.scopes = ScopeSet(target: request.scopes)
    request.options.seek(request.token)
    let invocation = Invocation.ofProcess(options: request.options)
    let result: TokenResult
    do {
      let selection = try invocation.select()
      // Only the full command looks whether the account is denied.
      guard selection.denials.isEmpty else { return nil }
      var configuration = try invocation.configuration(selection.group)
      // Only the full command prompts, so that the user is asked once.
      configuration.allowsPrompt = false
      configuration.passphrase = nil
      result = try TokenCache(GroupSession(configuration)).token(
        request.token, of: selection.account)
    } catch { return nil }
    // The token is due for a refresh, which the full command does.
    guard !result.isRefreshDue else { return nil }
    do {
      try invocation.answer(token: result)
      return .done
    } catch {
      let failure = Failure(error)
      Invocation.tell(failure)
      return failure.status
    }
  }

  /// The options of `token` that scripts use, in spellings that ArgumentParser accepts too.
  private struct Request {
    var token = TokenRequest(scopes: ScopeSet([]))
    var scopes = ""
    var options = Invocation.Options()

    /// Returns nil for any other form.
    init?(_ arguments: [String]) {
      guard arguments.first == "token" else { return nil }
      var rest = arguments.dropFirst()
      while let name = rest.popFirst() {
        if name == "--no-input" {
          options.mayAsk = false
          continue
        }
        guard let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("-"),
          take(value, for: name)
        else { return nil }
      }
      guard scopes.isEmpty || token.resource == nil else { return nil }
    }

    private mutating func take(_ value: String, for name: String) -> Bool {
      switch name {
      case "--scope": scopes += " " + value
      case "--resource": token.resource = value
      case "--client-id": token.clientID = value
      case "--tenant": token.tenantID = value
      case "--account": options.account = value
      case "--group", "-g": options.group = value
      case "--vault-dir": options.vaultDirectory = value
      case "--min-validity":
        guard let validity = Duration(value) else { return false }
        token.minimumValidity = validity.seconds
      default: return false
      }
      return true
    }
  }
}
