import TokenVault
import TokenVaultCredentialHelpers
import TokenVaultCrypto
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
        guard let cache = cache(bytes) else {
          return .unusable("it is not a token cache of MSAL")
        }
        return .cache(cache)
      },
      form: { _ in Form(label: "MSALCache", contentType: "text/plain", attributes: attributes) })
  }

  /// A cache in JSON, or in the base64 of MSAL's extensions for .NET (LinuxKeyringAccessor.cs).
  private static func cache(_ bytes: [UInt8]) -> MSALCache? {
    let isJSON = bytes.first { $0 > 0x20 } == UInt8(ascii: "{")
    let text = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
    guard let json = isJSON ? bytes : Base64URL.decodeStandard(text) else { return nil }
    // absent is an answer: the program keeps something else there.
    do { return try MSALCache(json: json) } catch { return nil }
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
