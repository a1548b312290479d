import TokenVault
import TokenVaultSignIn

// MARK: A file of the user that cannot be used

extension Failure {
  static func text(_ fault: ManifestFault) -> String {
    switch fault {
    case .syntax(let line, let column): "it is not JSON at line \(line), column \(column)"
    case .notJSON: "it is not a JSON object"
    case .unknownField(let field):
      "it has the unknown field \(quoted(field))"
        + (Spelling.nearest(
          to: field,
          in: UserConfiguration.fieldPaths + Manifests.fields + ProviderDescription.members
        ).map { ", which is probably \(quoted($0))" } ?? "")
    case .missingField(let field): "the field \(quoted(field)) is missing"
    case .badValue(let field):
      allowedValues[field].map { "\(quoted(field)) must be \($0)" }
        ?? "the value of \(quoted(field)) is not allowed"
    case .issuerTaken(let name):
      "its issuer is that of the provider \(PlainText.escaped(name)); name the file "
        + "\(PlainText.escaped(name)).json, or give it the issuer of its own server"
    case .nameMismatch: "the name in it differs from the file name"
    case .unsafe: "other users can write to it, or it is not a regular file of your own"
    case .tooLarge: "it is larger than 64 KiB"
    }
  }

  /// The values of the fields of manifests, of the configuration and of provider files.
  private static let allowedValues: [String: String] = {
    let url = "an https URL"
    let words = "an array of words"
    let flag = "true or false"
    return [
      "title": "a text", "members": "an array of paths or names of programs",
      "custody": #"secret-service, passphrase or {"key-file": "/PATH"}"#,
      "deviceMode": "private or shared", "defaultGroup": "the name of a group",
      "signIn": "an object", "signIn.clientId": "a text", "signIn.authority": "a text",
      "signIn.redirectUri": "a text", "signIn.scopes": "an array of strings",
      "signIn.revocationEndsTokenAlone": flag,
      "issuer": #"an https URL, and not Microsoft's if there is a "tokenEndpoint""#,
      "authorizationEndpoint": url, "tokenEndpoint": url, "deviceAuthorizationEndpoint": url,
      "revocationEndpoint": url, "userEndpoint": url, "scopes": words,
      "impliedScopes": "an object of arrays of words", "scopeSeparator": "one character",
      "tokensWithoutExpiry": flag, "flow": "browser or device-code",
      "apiHosts": "an array of host names in lower case, as in *.example.com",
      "redirectUri": "a loopback address or a private-use scheme", "registrationPage": url,
      "revocationPage": url, "portalPage": url,
      "refreshTokenIdleDays": "a number of days from 1 to 3650",
    ]
  }()
}
