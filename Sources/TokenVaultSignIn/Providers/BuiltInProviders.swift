package import TokenVaultModel

/// The provider files that are part of the program. They are compiled into it, and are not read
/// before a provider is looked for.
package enum BuiltInProviders {
  /// The names, in the order in which help texts list them.
  package static let names = ["microsoft", "github", "gitlab", "google", "forgejo", "oidc"]

  /// The members of a file; nil for another name.
  package static func members(_ name: String) -> [JSONValue.Member]? {
    // absent is an answer: a test parses each of the files.
    do { return try json(name).flatMap { try JSONValue(parsing: $0).members } } catch { return nil }
  }

  private static func json(_ name: String) -> [UInt8]? {
    switch name {
    case "microsoft": PackageResources.microsoft_json
    case "github": PackageResources.github_json
    case "gitlab": PackageResources.gitlab_json
    case "google": PackageResources.google_json
    case "forgejo": PackageResources.forgejo_json
    case "oidc": PackageResources.oidc_json
    default: nil
    }
  }
}
