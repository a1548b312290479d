import TokenVaultSignIn

/// How to get a client id at a provider, for the message about a missing one.
package struct ClientRegistration: Sendable {
  private let provider: ProviderDescription
  private let file: String?

  /// - Parameter file: The path of the user's file of the provider.
  init(_ provider: ProviderDescription, file: String?) {
    self.provider = provider
    self.file = file
  }

  /// The provider with its URL, if it is installed in many places.
  private var name: String {
    guard provider.isElsewhere, let issuer = provider.issuer else {
      return PlainText.escaped(provider.name)
    }
    return "\(PlainText.escaped(provider.name)) at \(PlainText.escaped(issuer.address.host))"
  }

  var message: String {
    var text = "\(name) needs a client id of your own. Nothing was changed."
    let help = PlainText.escaped(
      provider.registrationHelp.replacing("{file}", with: file ?? "the provider's file"))
    if let page = provider.registrationPage.map(PlainText.escaped) {
      text += help.isEmpty ? " Get one at \(page)" : " At \(page)\n\(help)."
    } else if !help.isEmpty {
      text += "\n" + help.prefix(1).uppercased() + help.dropFirst() + "."
    }
    return text
  }

  /// The sign-in, with the client id unless it has to be written into the provider's file.
  var next: String {
    var words = ["tokenvault", "sign-in", provider.key]
    if let issuer = provider.issuer, provider.isElsewhere {
      words.append(PlainText.shellWord(issuer.url))
    }
    if !provider.registrationHelp.contains("{file}") { words += ["--client-id", "ID"] }
    return words.joined(separator: " ")
  }
}
