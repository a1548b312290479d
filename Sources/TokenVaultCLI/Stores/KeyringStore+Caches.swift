import TokenVault
import TokenVaultKeyCustody

extension KeyringStore {
  /// Token caches of MSAL's libraries. The program that stores a cache chooses its attributes.
  /// - Parameter attributes: Those of a program that is not known here.
  static func caches(
    _ keyring: SecretServiceItems, _ attributes: [(String, String)] = []
  ) -> KeyringStore {
    KeyringStore(
      keyring: keyring, searches: attributes.isEmpty ? knownCaches : [attributes],
      content: { item in
        let bytes = item.secret.reveal()
        guard bytes.count <= MSALCache.fileLimit else {
          return .unusable("it is larger than 64 MiB")
        }
        do { return .cache(try MSALCache(json: bytes)) } catch {
          return .unusable("it is not a token cache of MSAL")
        }
      },
      form: { _ in Form(label: "MSALCache", contentType: "text/plain", attributes: attributes) })
  }

  /// The attributes of programs that keep caches in the Secret Service.
  private static let knownCaches: [[(String, String)]] = [
    // Azure CLI, and programs that use the names of the libraries' sample.
    [("xdg:schema", "Microsoft Azure CLI")],
    [("my_attr1", "foo"), ("my_attr2", "bar")],
    // azure-identity for Python and the Azure SDK for .NET.
    [("MsalClientID", "Microsoft.Developer.IdentityService")],
  ]
}
