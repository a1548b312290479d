import TokenVaultCrypto
import TokenVaultModel

/// Microsoft's `client_info`: the user, by object and home tenant.
package struct ClientInfo: Hashable, Sendable {
  /// The object id in the home tenant; in B2C followed by the policy.
  package let objectID: String
  /// The home tenant.
  package let tenantID: String

  /// Decodes base64url of a JSON object with `uid` and `utid`; nil for anything else.
  package init?(_ text: String) {
    guard text.utf8.count <= 64 << 10, let bytes = Base64URL.decodePadded(text),
      let info = JSONValue.object(in: bytes), let objectID = info["uid"]?.text,
      let tenantID = info["utid"]?.text, !objectID.isEmpty, !tenantID.isEmpty,
      !objectID.hasControlCharacters, !tenantID.hasControlCharacters
    else { return nil }
    self.objectID = objectID
    self.tenantID = tenantID
  }

  /// The home account id.
  package var homeAccountID: String { "\(objectID).\(tenantID)" }
}
