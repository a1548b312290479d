import TokenVaultGroupStore
import TokenVaultModel

extension AccountRecord {
  /// Whether at least one client is signed in. A family's refresh token counts even after the
  /// client that it was issued to has signed out, because the other clients of the family still use
  /// it.
  var isSignedIn: Bool {
    stored.contains { $0.credential.kind == .secret }
      || clients.values.contains(.signedIn)
      || stored.contains {
        $0.credential.kind == .refreshToken
          && (!$0.credential.familyID.isEmpty
            || clients[CaseFolding.key($0.credential.clientID)] != .signedOut)
      }
  }

  /// Whether a client is signed in: it has a refresh token of its own or of its family, or its
  /// sign-in is recorded. A sign-out of the client outweighs any token (as in MSAL for iOS and
  /// macOS).
  func isSignedIn(_ client: FamilyClient) -> Bool {
    switch clients[CaseFolding.key(client.id)] {
    case .signedOut: false
    case .signedIn: true
    case nil:
      stored.contains {
        guard $0.credential.kind == .refreshToken else { return false }
        return CaseFolding.equal($0.credential.clientID, client.id)
          || !$0.credential.familyID.isEmpty && client.mayBeInFamily(at: environment)
      }
    }
  }
}
