import TokenVaultGroupStore
import TokenVaultModel

extension AccountRecord {
  /// Whether at least one client is signed in. A family's refresh token counts even after the
  /// client that it was issued to has signed out: it is kept only while another client may use it.
  var isSignedIn: Bool {
    has(.secret) || clients.values.contains(.signedIn)
      || stored.indices.contains {
        stored[$0].credential.kind == .refreshToken
          && (!stored[$0].credential.familyID.isEmpty
            || clients[CaseFolding.key(stored[$0].credential.clientID)] != .signedOut)
      }
  }

  /// Whether the account has a credential of this kind.
  ///
  /// By index, because a loop over the elements copies each, with more than a dozen fields: a listing asks
  /// several times for each account.
  func has(_ kind: Credential.Kind) -> Bool {
    stored.indices.contains { stored[$0].credential.kind == kind }
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

  /// Whether this is a password or personal access token of a service, which no client owns.
  var isSecret: Bool { has(.secret) }

  /// Whether a client has a credential of the account, or is recorded as signed in.
  func isOf(_ client: String) -> Bool {
    clients[CaseFolding.key(client)] == .signedIn
      || stored.contains { CaseFolding.equal($0.credential.clientID, client) }
  }

  /// The same, or whether the client is known as a member of the family of a token.
  func isOf(_ client: FamilyClient) -> Bool {
    isOf(client.id) || client.isInFamily(at: environment) && isSignedIn(client)
  }

  /// The other clients that are signed in or have a credential, folded. A client that has signed
  /// out is none of them, even if a refresh token that it left to its family names it.
  func clients(besides client: String) -> Set<String> {
    let signedIn = clients.filter { $0.value == .signedIn }.map(\.key)
    let holders = stored.map { CaseFolding.key($0.credential.clientID) }
    return Set(signedIn + holders).filter { other in
      !other.isEmpty && other != CaseFolding.key(client) && clients[other] != .signedOut
    }
  }
}
