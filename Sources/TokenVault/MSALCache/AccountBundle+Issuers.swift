import TokenVaultModel
import TokenVaultSignIn

extension AccountBundle {
  /// An ID token, with the fields by which other entities belong to it.
  private struct Source {
    let client: String
    let realm: String
    let username: String
    let issuer: String
  }

  /// The accounts of the bundle. Two issuers at one host may use one subject for different users,
  /// whom MSAL stores as one account. An entity belongs to the issuer that it names, otherwise to that
  /// of the ID tokens with its client and realm; if these do not name a single issuer, its account has
  /// none.
  func byIssuer() -> [AccountBundle] {
    let sources = tokens.compactMap(Self.source)
    let named = Set((profiles.map(\.issuer) + tokens.map(\.issuer)).compactMap(believed))
    let issuers = named.union(sources.map(\.issuer))
    guard !homeAccountID.isEmpty, authorityType == .oidc, issuers.count > 1 else {
      return [part(issuers.count == 1 ? issuers.first ?? "" : "", profiles, tokens)]
    }
    func issuer(_ isWanted: (Source) -> Bool) -> String? {
      let found = Set(sources.filter(isWanted).map(\.issuer))
      return found.count == 1 ? found.first : nil
    }
    let profilesByIssuer = Dictionary(grouping: profiles) { profile in
      believed(profile.issuer) ?? issuer { $0.realm == profile.realm }
        ?? issuer { $0.realm == profile.realm && $0.username == profile.username } ?? ""
    }
    let tokensByIssuer = Dictionary(grouping: tokens) { token in
      let (client, realm) = (token.credential.clientID, token.credential.realm)
      return Self.source(token)?.issuer ?? believed(token.issuer)
        ?? issuer { $0.client == client && (realm.isEmpty || $0.realm == realm) } ?? ""
    }
    return Set(profilesByIssuer.keys).union(tokensByIssuer.keys).map { issuer in
      part(issuer, profilesByIssuer[issuer] ?? [], tokensByIssuer[issuer] ?? [])
    }
  }

  /// The issuer that an entity names; nil for none. Like that of an ID token it must be at the host of
  /// the account, because the refresh token is sent there.
  func believed(_ text: String) -> String? {
    guard !text.isEmpty, !homeAccountID.isEmpty, authorityType == .oidc else { return nil }
    // absent is an answer: tokens are sent to authorities only, and the text names none.
    do {
      let authority = try Authority(text)
      let isOwn = authority.environment == environment && authority.authorityType == .oidc
      return isOwn ? AccountIdentity.bare(text) : nil
    } catch { return nil }
  }

  private static func source(_ token: MSALCache.Token) -> Source? {
    guard token.credential.kind == .idToken, let claims = IDToken(token.secret.reveal()),
      let issuer = claims.issuer
    else { return nil }
    return Source(
      client: token.credential.clientID, realm: token.credential.realm,
      username: claims.username ?? "", issuer: AccountIdentity.bare(issuer))
  }
}
