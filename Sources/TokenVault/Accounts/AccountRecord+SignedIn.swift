import TokenVaultGroupStore
import TokenVaultModel

extension AccountRecord {
  /// Signed in for at least one client. A family's refresh token counts even after the client it was
  /// issued to has signed out: the family's other clients go on using it.
  var isSignedIn: Bool {
    stored.contains { $0.credential.kind == .secret }
      || clients.values.contains(.signedIn)
      || stored.contains {
        $0.credential.kind == .refreshToken
          && (!$0.credential.familyID.isEmpty
            || clients[CaseFolding.key($0.credential.clientID)] != .signedOut)
      }
  }

  /// Signed in for one client: it holds a refresh token of its own or of its family, or its sign-in
  /// is recorded. A sign-out of the client wins over any token (MSAL for iOS and macOS).
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
